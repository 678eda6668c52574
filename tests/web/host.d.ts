// What the files in web/ import from ComfyUI, with the types that ComfyUI publishes, and names for these types.

declare module "*/scripts/app.js" {
  export const app: Omit<ComfyApp, "extensionManager"> & { extensionManager: HostManager };
}

declare module "*/scripts/api.js" {
  export const api: import("@comfyorg/comfyui-frontend-types").ComfyApi & OurEvents;
}

type ComfyApp = import("@comfyorg/comfyui-frontend-types").ComfyApp;
type ComfyGraph = ComfyApp["rootGraph"];
type ComfyNode = ComfyGraph["nodes"][number];
type ComfyWidget = NonNullable<ComfyNode["widgets"]>[number];

/** The host's store of workflows, of which it publishes no types: `activeState` is a saved workflow. */
type WorkflowTab = { activeState?: any; changeTracker?: any } & import("@comfyorg/comfyui-frontend-types").ComfyWorkflow;
interface OpenWorkflows {
  activeWorkflow?: WorkflowTab;
  openWorkflows: WorkflowTab[];
}
type HostManager = Omit<ComfyApp["extensionManager"], "workflow"> & { workflow: OpenWorkflows };
type OnProgress = (event: CustomEvent<{ done: number; total: number }>) => void;
interface OurEvents {
  addEventListener(type: "personalq_rescan", listener: OnProgress): void;
  addEventListener(type: "personalq_changed", listener: () => void): void;
}
interface Window {
  LiteGraph: any;
}
/** What a node said in a run, see nodes/payload.py. */
type Payload = any;
