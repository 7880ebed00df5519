import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Serves the prerendered documents in development, without their assets. */
const documents: Plugin = {
  name: "documents",
  apply: "serve",
  configureServer: (server) => () => {
    server.middlewares.use(async (request, response, next) => {
      const address = request.originalUrl ?? "/";
      if (address.startsWith("/desk/")) {
        next();
        return;
      }
      const { searchParams } = new URL(address, "http://localhost");
      try {
        const { renderPage } = await server.ssrLoadModule("/site/entry-server.tsx");
        const { languageOf } = await server.ssrLoadModule("/shared/i18n/language.ts");
        const html = renderPage(address, languageOf(searchParams.get("lang") ?? "en"), () => ({
          style: null,
          fonts: [],
          scripts: { entry: "/site/boot.ts", modules: [] },
        }));
        response.setHeader("Content-Type", "text/html");
        response.end(await server.transformIndexHtml(address, html));
      } catch (error) {
        next(error);
      }
    });
  },
};

/** Removes Vite's loader around `import()`. It preloads modules and styles, which the document lists. */
const plainImports: Plugin = {
  name: "plain-imports",
  apply: "build",
  enforce: "pre",
  load: (id) =>
    id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : null,
};

/**
 * The oldest browsers in which the site and the desk work: the first with cascade layers, such as phones that stay at
 * iOS 15 and the browser inside WeChat. The build lowers syntax to them, and `e2e/browser-target.spec.ts` lists the
 * functions and the CSS that they lack.
 */
const OLDEST_BROWSERS = ["chrome99", "edge99", "firefox98", "ios15.4", "safari15.4"];

export default defineConfig({
  appType: "mpa",
  plugins: [react(), documents, plainImports],
  define: { "import.meta.env.BUILD_DAY": JSON.stringify(new Date().toISOString().slice(0, 10)) },
  resolve: {
    alias: [
      {
        // The package exports only its build with development warnings.
        find: /^react-router$/,
        replacement: resolve(
          import.meta.dirname,
          "node_modules/react-router/dist/production/index.mjs",
        ),
      },
    ],
  },
  publicDir: "../art/dist/public",
  build: {
    // A strict CSP allows no data: fonts, and each asset has an immutable address.
    assetsInlineLimit: 0,
    // The document lists the modules, and `boot.ts` preloads them.
    modulePreload: false,
    // The documents are rendered completely, before any script of a part.
    cssCodeSplit: false,
    target: OLDEST_BROWSERS,
    rolldownOptions: {
      output: {
        // Pictures already have a hash. A second one would lengthen the addresses of 130 files.
        assetFileNames: ({ names: [name = ""] }) =>
          /-[0-9a-f]{12}\.\w+$/.test(name)
            ? "assets/[name][extname]"
            : "assets/[name]-[hash][extname]",
      },
    },
  },
  server: {
    fs: { allow: [".", "../art/dist"] },
    proxy: {
      "/auth": "http://localhost:8080",
      "/desk/api/": "http://localhost:8080",
      "/functions": "http://localhost:8080",
    },
  },
  test: {
    include: ["{shared,site,desk}/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
    restoreMocks: true,
    // Tests are slow on a busy machine.
    testTimeout: 60_000,
    // By default Vitest leaves one core idle, which is half of a machine with two.
    maxWorkers: "100%",
    environment: "happy-dom",
    setupFiles: ["vitest.setup.ts"],
  },
});
