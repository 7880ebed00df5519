import { scaleLinear } from "d3-scale";
import { listAddress, emailStates as states } from "#desk/address.ts";
import { figure, words } from "./format.ts";
import type { Deliveries } from "./report.ts";

interface DeliveryTableProps {
  deliveries: Deliveries[];
  /** Start of the period. */
  from: string;
}

/** Emails to visitors, with the reasons of those that were not delivered. */
export function DeliveryTable({ deliveries, from }: DeliveryTableProps) {
  const { kinds, states: names, none } = words.deliveries;
  const shown = deliveries.filter((each) => sum(each) > 0);
  if (shown.length === 0) {
    return <p className="desk-quiet">{none}</p>;
  }
  const largest = Math.max(...shown.map(sum));
  return (
    <>
      <table className="report-deliveries">
        <thead>
          <tr>
            {states.map((state) => (
              <th key={state} scope="col">
                {names[state]}
              </th>
            ))}
          </tr>
        </thead>
        {shown.map((each) => (
          <tbody key={each.kind}>
            <tr>
              <th scope="rowgroup" colSpan={states.length}>
                <span className="report-email">
                  {kinds[each.kind]}
                  <Drawing deliveries={each} largest={largest} />
                </span>
              </th>
            </tr>
            <tr>
              {states.map((state) => (
                <td key={state}>
                  {each[state] === 0 ? (
                    figure(0)
                  ) : (
                    <a
                      href={listAddress({
                        visitor_email: `${each.kind}-${state}`,
                        emailed_from: from,
                      })}
                      aria-label={`${kinds[each.kind]}, ${names[state]}: ${figure(each[state])}`}
                    >
                      {figure(each[state])}
                    </a>
                  )}
                </td>
              ))}
            </tr>
          </tbody>
        ))}
      </table>
      <ul className="desk-quiet">
        {shown.flatMap(reasonsOf).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

function Drawing({ deliveries, largest }: { deliveries: Deliveries; largest: number }) {
  const width = scaleLinear([0, largest], [0, 100]);
  const starts = states.map((_, index) =>
    states.slice(0, index).reduce((from, state) => from + deliveries[state], 0),
  );
  return (
    <svg className="report-drawing" height="12" aria-hidden="true" focusable="false">
      {states.map(
        (state, index) =>
          deliveries[state] > 0 && (
            <rect
              key={state}
              className={`report-email-${state}`}
              x={`${width(starts[index] ?? 0)}%`}
              width={`${width(deliveries[state])}%`}
              height="12"
            />
          ),
      )}
    </svg>
  );
}

function sum(deliveries: Deliveries): number {
  return states.reduce((all, state) => all + deliveries[state], 0);
}

/** The reasons of each state as a sentence. */
function reasonsOf({ kind, reasons }: Deliveries): string[] {
  const {
    kinds,
    states: names,
    reasons: known,
    why,
    reason: counted,
    separator,
  } = words.deliveries;
  return states.flatMap((state) => {
    const given = reasons.filter((each) => each.state === state);
    const list = given.map(({ reason, deliveries }) =>
      counted(deliveries, known[reason] ?? reason),
    );
    return list.length === 0 ? [] : [why(kinds[kind], names[state], list.join(separator))];
  });
}
