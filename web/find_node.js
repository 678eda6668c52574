// From the execution id of a run ("3", or "5:3" for node 3 inside the subgraph node 5) to the node and where it is.

/** What a subgraph node shows when it is opened. @param {any} node @returns {ComfyGraph | undefined} */
const inside = (node) => node.subgraph;

/**
 * The node with this execution id below `root`, or null.
 * @param {ComfyGraph | null | undefined} root @param {string | number} executionId
 */
export function findNode(root, executionId) {
  let graph = root;
  /** @type {ComfyNode | null} */
  let node = null;
  for (const id of String(executionId).split(":")) {
    node = graph?.getNodeById(id) ?? graph?.getNodeById(Number(id)) ?? null; // an id's type depends on the host's release
    if (!node) return null;
    graph = inside(node);
  }
  return node;
}

/**
 * How to see `node` from `shownGraph`, as an instruction.
 * @param {ComfyNode} node @param {ComfyGraph | null} shownGraph
 */
export function howToReach(node, shownGraph) {
  if (node.graph && node.graph !== shownGraph) {
    const { isRootGraph, name } = /** @type {{isRootGraph: boolean, name?: string}} */ (node.graph);
    return isRootGraph ? "Leave the subgraph to answer." : `Open the subgraph "${name}" to answer.`;
  }
  const name = `"${node.title}" (#${node.id})`;
  return node.collapsed || node.flags?.collapsed ? `Expand the node ${name} to answer.` : `Scroll to the node ${name} to answer.`;
}

/**
 * The node of `graph` in which `node` is: itself, or the subgraph that holds it at any depth; undefined when it is elsewhere.
 * @param {ComfyGraph} graph @param {ComfyNode} node @returns {ComfyNode | undefined}
 */
export function holderIn(graph, node) {
  if (node.graph === graph) return node;
  return graph.nodes.find((each) => {
    const inner = inside(each);
    return inner && holderIn(inner, node);
  });
}
