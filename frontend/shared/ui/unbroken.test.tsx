import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { unbroken } from "./unbroken.tsx";

it.each([
  ["两座62层的塔楼，共706户住宅。", ["62层", "706户"]],
  ["由527到2,874平方英尺", ["2,874平方英尺"]],
  ["多517\u00a0平方英尺·多1间卧房", ["517\u00a0平方英尺", "1间卧房"]],
  ["自2024年7月15日起计", ["2024年7月15日"]],
  ["1.5公里与1.7公里处，驱车不过8分钟", ["1.5公里", "1.7公里", "8分钟"]],
  ["two 62-storey residential towers", ["62-storey"]],
  ["70\u00a0metres from the metro", []],
])("keeps each measure in %s on one line, and the text unchanged", (text, measures) => {
  const { container } = render(unbroken(text));
  const whole = [...container.querySelectorAll(".unbroken")].map((span) => span.textContent);
  expect(whole).toEqual(measures);
  expect(container.textContent).toBe(text);
});
