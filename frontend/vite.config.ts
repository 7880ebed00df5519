import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { mapPlugin } from "./scripts/map.ts";
import { picturesPlugin } from "./scripts/pictures.mjs";
import { plansPlugin } from "./scripts/plans.mjs";

export default defineConfig({
  plugins: [react(), picturesPlugin(), plansPlugin(), mapPlugin()],
  build: {
    // A strict CSP has no data: fonts, and every asset gets its own immutable address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  server: { proxy: { "/auth": "http://localhost:8080", "/functions": "http://localhost:8080" } },
  test: {
    include: [
      "src/**/*.test.{ts,tsx}",
      "scripts/**/*.test.ts",
      "art/**/*.test.ts",
      "bench/*.test.ts",
    ],
    restoreMocks: true,
    // A busy machine takes its time.
    testTimeout: 60_000,
    // Vitest leaves one core idle by itself, which is half of a machine with two.
    maxWorkers: "100%",
    environment: "happy-dom",
    setupFiles: ["vitest.setup.ts"],
  },
});
