// Stands for ComfyUI's scripts/app.js: what the tests of web/ need of it.
export const app = { rootGraph: null, canvas: { graph: null }, extensionManager: { setting: { get() {} }, toast: { add() {} } } };
