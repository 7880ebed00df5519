import { scaleSqrt } from "d3-scale";
import { listAddress } from "#desk/address.ts";
import type { VisitTime } from "#desk/api.ts";
import { figure, words } from "./format.ts";
import type { Report } from "./report.ts";

const week = ["weekday", "weekend"] as const;
const dayParts = ["mornings", "afternoons", "evenings"] as const;

/** The side of the largest square, in pixels. */
const SIDE = 36;

interface WeekGridProps {
  times: Report["wishes"]["visit_times"];
  period: { from: string; before: string };
}

/** When visitors can come: squares whose area is the number of leads. */
export function WeekGrid({ times, period }: WeekGridProps) {
  const side = scaleSqrt([0, Math.max(1, ...times.map(({ leads }) => leads))], [0, SIDE]);
  const { visitTimes, week: weekNames, dayParts: partNames } = words.wishes;

  function cell(time: VisitTime) {
    const leads = times.find(({ value }) => value === time)?.leads ?? 0;
    const size = side(leads);
    const content = (
      <>
        <svg
          width={SIDE}
          height={SIDE}
          viewBox={`0 0 ${SIDE} ${SIDE}`}
          aria-hidden="true"
          focusable="false"
        >
          <rect
            className="report-bar-all"
            x={(SIDE - size) / 2}
            y={SIDE - size}
            width={size}
            height={size}
          />
        </svg>
        {figure(leads)}
      </>
    );
    return leads === 0 ? (
      <span>{content}</span>
    ) : (
      <a href={listAddress({ ...period, visit_time: time })}>{content}</a>
    );
  }

  return (
    times.length > 0 && (
      <table className="report-week">
        <thead>
          <tr>
            <th scope="col">{visitTimes}</th>
            {week.map((part) => (
              <th key={part} scope="col">
                {weekNames[part]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dayParts.map((dayPart) => (
            <tr key={dayPart}>
              <th scope="row">{partNames[dayPart]}</th>
              {week.map((part) => (
                <td key={part}>{cell(`${part}-${dayPart}`)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    )
  );
}
