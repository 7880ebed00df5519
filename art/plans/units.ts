import type { Unit } from "./unit.ts";
import { a1 } from "./units/a1.ts";
import { a2 } from "./units/a2.ts";
import { a3 } from "./units/a3.ts";
import { b1 } from "./units/b1.ts";
import { b2 } from "./units/b2.ts";
import { c1 } from "./units/c1.ts";
import { c2n } from "./units/c2n.ts";
import { d1 } from "./units/d1.ts";
import { d2 } from "./units/d2.ts";
import { ph1 } from "./units/ph1.ts";
import { ph2 } from "./units/ph2.ts";
import { ph3 } from "./units/ph3.ts";

/** Every unit, from the smallest to the largest. */
export const units: readonly Unit[] = [a1, a2, a3, b1, b2, c1, c2n, d1, d2, ph1, ph2, ph3];
