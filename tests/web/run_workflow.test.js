import assert from "node:assert/strict";
import { test } from "node:test";
import { api } from "./host/api.js";
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
  await serve(t, { "/api/jobs/four": { workflow_id: "bears" } });
  const { server } = api;
  api.server = "http://127.0.0.1:1"; // nothing listens there
  assert.equal(await workflowOf("four"), undefined);
  api.server = server;
  assert.equal(await workflowOf("four"), "bears");
});
