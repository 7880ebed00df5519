import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// A test may share two cores with a browser: one second is too short.
configure({ asyncUtilTimeout: 15_000 });

afterEach(cleanup);
