// A page (jsdom) and a server (node:http) for the tests.
import { createServer } from "node:http";
import { JSDOM } from "jsdom";
import { api } from "./host/api.js";

/** Gives this test file a page of its own; returns its window. */
export function openPage() {
  const { window } = new JSDOM("<!doctype html><body></body>", { url: "http://127.0.0.1/" });
  Object.assign(globalThis, { window, document: window.document });
  return window;
}

/** Serves `answers` (path -> JSON) to `api.fetchApi` until the test ends; returns the paths that were asked for. */
export async function serve(test, answers) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    const answer = answers[request.url];
    response.writeHead(answer === undefined ? 404 : 200, { "Content-Type": "application/json", Connection: "close" });
    response.end(JSON.stringify(answer ?? null));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  api.server = `http://127.0.0.1:${server.address().port}`;
  test.after(() => server.close());
  return asked;
}
