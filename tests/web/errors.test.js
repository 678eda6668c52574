import assert from "node:assert/strict";
import { test } from "node:test";
import { errorToast, nextStep } from "../../web/errors.js";

const failed = (type, message, node_type = "PersonalQTAQ") => ({
  node_type, node_id: "3", exception_type: type, exception_message: message,
});

test("an error of ours is shown as it is: it says the next step itself", () => {
  const toast = errorToast(failed("ValueError", "This model is quantized already. Connect the full-precision model.\n"), "My TAQ");
  assert.equal(toast.summary, "My TAQ (#3)");
  assert.equal(toast.detail, "This model is quantized already. Connect the full-precision model.");
  assert.equal(toast.severity, "error");
  assert.equal(nextStep("custom_nodes.personalq.checkin.index.repository.EmptyRepository", "There are no models. Put some there."), "");
});

test("a file's name in an error of ours is no sign of damage", () => {
  assert.equal(nextStep("FileNotFoundError", "The file of 'kiko' is gone (kiko.safetensors). Put it back, and queue again."), "");
  assert.match(nextStep("ValueError", "File path: a.safetensors\n\nThe safetensors file is corrupt/incomplete."), /damaged/);
});

test("another error gets its next step", () => {
  const steps = {
    "torch.OutOfMemoryError": ["Allocation on device", /Unload models/],
    RuntimeError: ["[enforce fail at alloc_cpu.cpp:114] DefaultCPUAllocator: can't allocate memory", /Unload models/],
    PermissionError: ["[Errno 13] Permission denied: 'x'", /Let ComfyUI write/],
    OSError: ["[Errno 28] No space left on device", /Free disk space/],
    "safetensors_rust.SafetensorError": ["Error while deserializing header: incomplete metadata", /damaged/],
    ModuleNotFoundError: ["No module named 'comfy_kitchen'", /Install what is missing/],
    KeyError: ["'weight'", /report/],
  };
  for (const [type, [message, step]] of Object.entries(steps)) {
    assert.match(errorToast(failed(type, message)).detail, step, type);
    assert.ok(errorToast(failed(type, message)).detail.startsWith(message), type);
  }
});

test("a long error is cut, its next step is not", () => {
  const { detail } = errorToast(failed("torch.OutOfMemoryError", "Allocation on device. ".repeat(200)));
  assert.ok(detail.length < 700);
  assert.match(detail, /…\nUnload models/);
});

test("nodes of others say their errors themselves", () => {
  assert.equal(errorToast(failed("ValueError", "no", "KSampler")), null);
  assert.equal(errorToast({ ...failed("ValueError", "no"), node_type: undefined }), null);
});
