import assert from "node:assert/strict";
import { test } from "node:test";
import { findNode, howToReach } from "../../web/find_node.js";

/** A graph with the lookup that the host's graphs have: by keys of an object, which are texts. */
function graphOf(nodes, name) {
  const graph = { isRootGraph: !name, name, getNodeById: (id) => nodes.find((node) => String(node.id) === id) ?? null };
  for (const node of nodes) node.graph = graph;
  return graph;
}

const inner = { id: 3, title: "Clarify" };
const deep = { id: "7", title: "Clarify" };
const closed = { id: 5, title: "Pick", subgraph: graphOf([inner, { id: 6, subgraph: graphOf([deep], "Deeper") }], "Pick a model") };
const alone = { id: "3", title: "Clarify", flags: {} };
const root = graphOf([alone, closed]);

test("an id leads through subgraphs, whether ids are numbers or strings", () => {
  assert.equal(findNode(root, "3"), alone);
  assert.equal(findNode(root, "5:3"), inner);
  assert.equal(findNode(root, "5:6:7"), deep);
  assert.equal(findNode(root, 5), closed);
});

test("an id that leads nowhere gives null", () => {
  for (const id of ["4", "3:1", "5:4", "5:6:7:8", ""]) assert.equal(findNode(root, id), null, id);
  assert.equal(findNode(null, "3"), null);
});

test("the way to a node is said from where one is", () => {
  assert.equal(howToReach(inner, root), "Open the subgraph “Pick a model”.");
  assert.equal(howToReach(alone, inner.graph), "Leave the subgraph.");
  assert.equal(howToReach(alone, root), 'Scroll to the node "Clarify" (#3).');
  assert.match(howToReach({ ...alone, flags: { collapsed: true } }, root), /^Expand the node/);
});
