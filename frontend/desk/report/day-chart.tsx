import { scaleBand, scaleLinear } from "d3-scale";
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { listAddress } from "#desk/address.ts";
import { columnsOf, labelled, leadsOf, type Part, parts, total } from "./figures.ts";
import { dayText, figure, paragraph, words } from "./format.ts";
import type { Day } from "./report.ts";

/** Sizes in pixels. The width of the drawing follows that of the page. */
const HEIGHT = 260;
const MARGIN = { top: 22, right: 4, bottom: 26, left: 34 };
const LABEL_WIDTH = 64;
const NUMBER_WIDTH = 20;
/** The smallest height of the mark of today. */
const UNFINISHED_HEIGHT = 12;

export function DayChart({ days }: { days: Day[] }) {
  const used = parts.filter((part) => days.some((day) => leadsOf(day, part) > 0));
  const erased = total(days, "erased");
  return (
    <>
      <ul className="report-legend">
        {used.map((part) => (
          <li key={part}>
            <svg width="14" height="14" aria-hidden="true" focusable="false">
              <rect className={`report-part-${part}`} x="1" y="1" width="12" height="12" />
            </svg>
            {words.daily.parts[part]}
          </li>
        ))}
        <li>
          <svg width="14" height="14" aria-hidden="true" focusable="false">
            <rect className="report-unfinished" x="1" y="1" width="12" height="12" />
          </svg>
          {words.daily.unfinished}
        </li>
      </ul>
      <Columns days={days} />
      <p className="desk-quiet">
        {paragraph(
          words.daily.rule,
          words.daily.leftOut(total(days, "spam"), total(days, "canaries")),
          erased > 0 && words.daily.erased(erased),
        )}
      </p>
      <DayTable days={days} used={used} />
    </>
  );
}

function Columns({ days }: { days: Day[] }) {
  const { svg, width } = useDrawnWidth();
  /** The only column that the Tab key reaches. */
  const [current, setCurrent] = useState(days.length - 1);
  const x = scaleBand(
    days.map(({ day }) => day),
    [MARGIN.left, width - MARGIN.right],
  ).padding(0.22);
  const largest = Math.max(4, ...days.map(({ leads }) => leads));
  const y = scaleLinear([0, largest], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
  const isLabelled = new Set(labelled(days.length, Math.ceil(LABEL_WIDTH / x.step())));
  const hasNumbers = x.bandwidth() >= NUMBER_WIDTH;

  function move(event: KeyboardEvent<SVGSVGElement>): void {
    const target = nextColumn(event.key, current, days.length);
    const links = svg.current?.querySelectorAll<SVGAElement>("a");
    if (target !== null && links !== undefined) {
      event.preventDefault();
      setCurrent(target);
      links[target]?.focus();
    }
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing cannot be a fieldset.
    <svg
      ref={svg}
      className="report-columns"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="xMinYMid"
      role="group"
      aria-label={words.daily.chart(days.length)}
      onKeyDown={move}
    >
      <Patterns />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of a drawing has no focus. */}
      <g aria-hidden="true">
        {y
          .ticks(4)
          .filter(Number.isInteger)
          .map((tick) => (
            <g key={tick}>
              <line className="report-grid" x1={MARGIN.left} x2={width} y1={y(tick)} y2={y(tick)} />
              <text className="report-tick" x={MARGIN.left - 8} y={y(tick) + 4} textAnchor="end">
                {figure(tick)}
              </text>
            </g>
          ))}
      </g>
      {columnsOf(days).map(({ day, segments }, index) => {
        const left = x(day.day) ?? 0;
        const middle = left + x.bandwidth() / 2;
        return (
          <a
            key={day.day}
            href={listAddress({ from: day.from, before: day.before })}
            aria-label={columnText(day)}
            tabIndex={index === current ? 0 : -1}
            onFocus={() => setCurrent(index)}
          >
            <title>{columnText(day)}</title>
            {/* The whole height reacts, because a small column is hard to hit. */}
            <rect
              className="report-hit"
              x={middle - x.step() / 2}
              y={MARGIN.top}
              width={x.step()}
              height={HEIGHT - MARGIN.top - MARGIN.bottom}
            />
            {segments.map(({ part, from, to }) => (
              <rect
                key={part}
                className={`report-part-${part}`}
                x={left}
                y={y(to)}
                width={x.bandwidth()}
                height={y(from) - y(to)}
              />
            ))}
            {day.is_unfinished && (
              <rect
                className="report-unfinished"
                x={left - 2}
                y={Math.min(y(day.leads) - 2, y(0) - UNFINISHED_HEIGHT)}
                width={x.bandwidth() + 4}
                height={Math.max(y(0) - y(day.leads) + 2, UNFINISHED_HEIGHT)}
              />
            )}
            {hasNumbers && day.leads > 0 && (
              <text className="report-number" x={middle} y={y(day.leads) - 7} textAnchor="middle">
                {figure(day.leads)}
              </text>
            )}
          </a>
        );
      })}
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of a drawing has no focus. */}
      <g aria-hidden="true">
        {days.map(
          ({ day, is_unfinished }, index) =>
            isLabelled.has(index) && (
              <text
                key={day}
                className="report-tick"
                x={Math.min((x(day) ?? 0) + x.bandwidth() / 2, width - 20)}
                y={HEIGHT - 6}
                textAnchor="middle"
              >
                {is_unfinished ? words.daily.today : dayText(day, "short")}
              </text>
            ),
        )}
      </g>
    </svg>
  );
}

/** Replace colours that the system overrides, and tell columns apart in black and white. */
function Patterns() {
  return (
    <defs>
      <pattern id="report-lines" width="5" height="5" patternUnits="userSpaceOnUse">
        <path className="report-pattern" d="M-1,1 l2,-2 M0,5 l5,-5 M4,6 l2,-2" />
      </pattern>
      <pattern id="report-dots" width="5" height="5" patternUnits="userSpaceOnUse">
        <circle className="report-pattern" cx="2.5" cy="2.5" r="0.6" />
      </pattern>
    </defs>
  );
}

/** The width of the drawing in the page, in pixels. */
function useDrawnWidth() {
  const svg = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(720);
  useLayoutEffect(() => {
    const element = svg.current;
    if (element === null) {
      return;
    }
    const measure = () => setWidth(Math.round(element.getBoundingClientRect().width) || 720);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { svg, width };
}

/** The column that a key moves to; `null` for other keys. */
function nextColumn(key: string, current: number, count: number): number | null {
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, current - 1);
    case "ArrowRight":
      return Math.min(count - 1, current + 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

/** A day's column in words. */
function columnText(day: Day): string {
  const counts = parts
    .filter((part) => leadsOf(day, part) > 0)
    .map((part) => `${words.daily.parts[part]} ${figure(leadsOf(day, part))}`);
  const mark = day.is_unfinished ? [words.daily.unfinished] : [];
  return [`${dayText(day.day, "long")}: ${words.leads(day.leads)}`, ...counts, ...mark].join(", ");
}

function DayTable({ days, used }: { days: Day[]; used: Part[] }) {
  const { columns, table, parts: names, unfinished } = words.daily;
  return (
    <details className="report-table">
      <summary>{table}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{columns.day}</th>
            {used.map((part) => (
              <th key={part} scope="col">
                {names[part]}
              </th>
            ))}
            <th scope="col">{columns.all}</th>
            <th scope="col">{columns.spam}</th>
            <th scope="col">{columns.canaries}</th>
          </tr>
        </thead>
        <tbody>
          {[...days].reverse().map((day) => (
            <tr key={day.day}>
              <th scope="row">
                <a href={listAddress({ from: day.from, before: day.before })}>
                  {dayText(day.day, "long")}
                </a>
                {day.is_unfinished && <small>{unfinished}</small>}
              </th>
              {used.map((part) => (
                <td key={part}>{figure(leadsOf(day, part))}</td>
              ))}
              <td>{figure(day.leads)}</td>
              <td>{figure(day.spam)}</td>
              <td>{figure(day.canaries)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
