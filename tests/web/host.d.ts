// What the files in web/ import from ComfyUI, with the types that ComfyUI publishes, and names for these types.

declare module "*/scripts/app.js" {
  export const app: import("@comfyorg/comfyui-frontend-types").ComfyApp;
}

declare module "*/scripts/api.js" {
  export const api: import("@comfyorg/comfyui-frontend-types").ComfyApi;
}

type ComfyApp = import("@comfyorg/comfyui-frontend-types").ComfyApp;
type ComfyGraph = ComfyApp["rootGraph"];
type ComfyNode = ComfyGraph["nodes"][number];
type ComfyWidget = NonNullable<ComfyNode["widgets"]>[number];
