// Asks, shows the question or the nearest models, and follows the job to its picture.

const find = (id) => document.getElementById(id);
const texts = document.body.dataset;
const said = find("said");
const AGAIN = 1000; // milliseconds until a job is watched again whose stream ended
let turn = 0; // only the newest request may write on the page

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask([]);
});

async function ask(answers) {
  const mine = ++turn;
  clear();
  say(texts.asking);
  find("draw").disabled = true;
  try {
    const answer = await call("v1/requests", body(answers));
    if (mine === turn) await show(answer, answers, mine);
  } catch (error) {
    if (mine === turn) fail(error.message);
  } finally {
    if (mine === turn) find("draw").disabled = false;
  }
}

function body(answers) {
  const [width, height, seed] = ["width", "height", "seed"].map((id) => find(id).valueAsNumber);
  const asked = { request: find("request").value, answers, id: crypto.randomUUID?.() };
  if (width || height) asked.size = { width: width || height, height: height || width };
  if (seed >= 0) asked.seed = seed;
  return asked;
}

async function show(answer, answers, mine) {
  say(answer.question ?? answer.why ?? "");
  if (answer.outcome === "select") return follow(answer.job.id, mine);
  const near = answer.near.map((one) => one.name).join(", ");
  if (near) say(`${answer.why} ${texts.near} ${near}`);
  const buttons = answer.choices.map((choice) => {
    const button = document.createElement("button");
    const detail = document.createElement("small");
    button.type = "button";
    detail.textContent = choice.detail;
    button.append(choice.shown, detail);
    button.addEventListener("click", () => ask([...answers, choice.label]));
    return button;
  });
  find("choices").replaceChildren(...buttons);
  buttons[0]?.focus();
}

async function follow(id, mine) {
  const bar = find("progress");
  bar.hidden = false;
  for (let state = ""; state !== "done"; ) {
    for await (const job of events(`v1/jobs/${id}/events`)) {
      if (mine !== turn) return;
      state = job.state;
      if (state === "failed") throw new Error(job.error);
      say(texts[state]);
      if (job.steps) Object.assign(bar, { max: job.steps, value: job.step });
      else bar.removeAttribute("value");
      if (state === "done") await finish(job);
    }
    if (state !== "done") await new Promise((resolve) => setTimeout(resolve, AGAIN)); // the stream ended, the job goes on
  }
  bar.hidden = true;
}

async function finish(job) {
  const answer = await send(`v1/jobs/${job.id}/picture`);
  const address = URL.createObjectURL(await answer.blob());
  Object.assign(find("picture"), { src: address, alt: job.prompt });
  find("caption").textContent = `${job.models.join(" + ")}: ${job.prompt}`;
  find("save").href = address;
  find("drawn").hidden = false;
}

/** The objects of a stream of server-sent events. */
async function* events(address) {
  const reader = (await send(address)).body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true })); // cut by a proxy
      if (done) return;
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop();
      for (const part of parts) yield JSON.parse(part.slice(part.indexOf("data: ") + 6));
    }
  } finally {
    reader.cancel(); // a browser has few connections, and the job may take long
  }
}

async function call(address, asked) {
  const json = { "Content-Type": "application/json" };
  return (await send(address, { method: "POST", headers: json, body: JSON.stringify(asked) })).json();
}

async function send(address, options = {}) {
  const token = find("token").value.trim();
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(address, { ...options, headers }).catch(() => {
    throw new Error(texts.trouble);
  });
  if (answer.ok) return answer;
  const { detail } = await answer.json().catch(() => ({}));
  throw new Error(typeof detail === "string" ? detail : `${answer.status} ${answer.statusText}`);
}

function clear() {
  find("choices").replaceChildren();
  find("progress").hidden = find("drawn").hidden = true;
  said.classList.remove("error");
}

function say(text) {
  said.textContent = text;
}

function fail(text) {
  clear();
  say(text);
  said.classList.add("error");
}
