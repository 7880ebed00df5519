import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  publicDir: "../art/dist/public",
  build: {
    // A strict CSP has no data: fonts, and every asset gets its own immutable address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  server: {
    fs: { allow: [".", "../art/dist"] },
    proxy: { "/auth": "http://localhost:8080", "/functions": "http://localhost:8080" },
  },
  test: {
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts", "bench/*.test.ts"],
    restoreMocks: true,
    // A busy machine takes its time.
    testTimeout: 60_000,
    // Vitest leaves one core idle by itself, which is half of a machine with two.
    maxWorkers: "100%",
    environment: "happy-dom",
    setupFiles: ["vitest.setup.ts"],
  },
});
