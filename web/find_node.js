// Finds the node of an execution id ("3", or "5:3" for node 3 inside the subgraph node 5), and says how to get to it.

/**
 * The node with this execution id below `root`, or null.
 * @param {any} root @param {string | number} executionId @returns {ComfyNode | null}
 */
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

/**
 * The node of `graph` that is `node` itself, or the subgraph node that contains it at any depth.
 * @param {any} graph @param {ComfyNode} node @returns {ComfyNode | undefined}
 */
export function holderIn(graph, node) {
  if (node.graph === graph) return node;
  return graph.nodes.find((/** @type {any} */ each) => each.subgraph && holderIn(each.subgraph, node));
}

/** An instruction for the user: how to get to `node` from `shownGraph`. @param {any} node @param {ComfyGraph | null} shownGraph */
export function howToReach(node, shownGraph) {
  if (node.graph !== shownGraph) {
    return node.graph.isRootGraph === false ? `Open the subgraph "${node.graph.name}" to answer.` : "Leave the subgraph to answer.";
  }
  const name = `"${node.title}" (#${node.id})`;
  return node.collapsed || node.flags?.collapsed ? `Expand the node ${name} to answer.` : `Scroll to the node ${name} to answer.`;
}
