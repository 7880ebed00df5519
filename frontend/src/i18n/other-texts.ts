import type { ComponentType } from "react";
import { part } from "#ui/part.tsx";

let load: () => Promise<void> = async () => {};

/** How the texts beyond the first screen's come, where they are not there from the beginning. */
export function provideOtherTexts(provided: () => Promise<void>): void {
  load = provided;
}

/** A part of the page that says more than the first screen: its texts come with its code. */
export function textPart(code: () => Promise<ComponentType>, id: string): ComponentType {
  return part(async () => {
    const [component] = await Promise.all([code(), load()]);
    return component;
  }, id);
}
