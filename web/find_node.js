// Finds the node of an execution id ("3", or "5:3" for node 3 inside the subgraph node 5), and says how to get to it.
import { say } from "./texts.js";

/**
 * The node with this execution id below `root`, or null.
 * @param {any} root @param {string | number} executionId @returns {ComfyNode | null}
 */
export function findNode(root, executionId) {
  /** @type {any} */
  const above = { subgraph: root };
  return String(executionId).split(":").reduce((node, id) => node?.subgraph?.getNodeById(id), above) ?? null;
}

/** All nodes of a workflow. @param {ComfyGraph} root @returns {ComfyNode[]} */
export const nodesOf = (root) => [root, ...root.subgraphs.values()].flatMap(({ nodes }) => nodes);

/**
 * The node of `graph` that is `node` itself, or the subgraph node that contains it at any depth.
 * @param {any} graph @param {ComfyNode} node @returns {ComfyNode | undefined}
 */
export const holderIn = (graph, node) =>
  node.graph === graph ? node : graph.nodes.find((/** @type {any} */ each) => each.subgraph && holderIn(each.subgraph, node));

/** An instruction for the user: how to get to `node` from `shownGraph`. @param {any} node @param {ComfyGraph | null} shownGraph */
export const howToReach = (node, shownGraph) => {
  if (node.graph === shownGraph) return say(node.flags.collapsed ? "expand" : "scroll", `"${node.title}" (#${node.id})`);
  return node.graph.isRootGraph === false ? say("open_subgraph", node.graph.name) : say("leave_subgraph");
};
