import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // A busy machine takes its time.
    testTimeout: 60_000,
    // Vitest leaves one core idle by itself, which is half of a machine with two.
    maxWorkers: "100%",
  },
});
