// From the execution id of a run ("3", or "5:3" for node 3 inside the subgraph node 5) to the node and where it is.

/** The node with this execution id below `root`, or null. */
export function findNode(root, executionId) {
  let graph = root;
  let node = null;
  for (const id of String(executionId).split(":")) {
    node = graph?.getNodeById(id) ?? graph?.getNodeById(Number(id)) ?? null;
    if (!node) return null;
    graph = node.subgraph;
  }
  return node;
}

/** Why `node` cannot be seen now, as an instruction; null when it only has to be scrolled to. */
export function howToReach(node, shownGraph) {
  if (node.graph !== shownGraph) {
    return node.graph.isRootGraph === false ? `Open the subgraph "${node.graph.name}" to answer.` : "Leave the subgraph to answer.";
  }
  const name = `"${node.title}" (#${node.id})`;
  return node.collapsed || node.flags?.collapsed ? `Expand the node ${name} to answer.` : `Scroll to the node ${name} to answer.`;
}
