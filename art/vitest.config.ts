import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The tests are slow on a busy machine.
    testTimeout: 60_000,
    // By default Vitest leaves one core idle, which is half of a machine with two.
    maxWorkers: "100%",
  },
});
