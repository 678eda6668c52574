import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage, serve } from "./page.js";

openPage();
const { workflowOf } = await import("../../web/run_workflow.js");

test("the server is asked once for each run, for the run alone", async (t) => {
  const asked = await serve(t, { "/api/jobs/one": { workflow_id: "bears" }, "/api/jobs/a%2Fb": { workflow_id: "dogs" } });
  assert.deepEqual(await Promise.all([workflowOf("one"), workflowOf("one")]), ["bears", "bears"]);
  assert.equal(await workflowOf("a/b"), "dogs");
  assert.equal(await workflowOf("forgotten"), undefined);
  assert.deepEqual(asked, ["/api/jobs/one", "/api/jobs/a%2Fb", "/api/jobs/forgotten"]);
});

test("a run whose workflow could not be asked for is asked about again", async (t) => {
  await serve(t, {}); // no answer is JSON of a job
  assert.equal(await workflowOf("three"), undefined);
  globalThis.fetch = () => Promise.reject(new TypeError("network"));
  assert.equal(await workflowOf("four"), undefined);
  await serve(t, { "/api/jobs/four": { workflow_id: "bears" } });
  assert.equal(await workflowOf("four"), "bears");
});
