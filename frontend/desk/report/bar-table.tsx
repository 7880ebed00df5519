import { scaleLinear } from "d3-scale";
import { type ReactNode, useState } from "react";
import { type ListFilter, listAddress } from "#desk/address.ts";
import { figure, words } from "./format.ts";

export interface Bar {
  label: string;
  leads: number;
  /** The leads of the dark part of the bar. */
  part?: number;
  /** The leads of the bar. */
  filter: ListFilter;
  /** Cells after the number. */
  cells?: ReactNode[];
}

interface BarTableProps {
  caption: string;
  bars: Bar[];
  /** Headings of the cells after the number. */
  columns?: string[];
}

/** Rows that are shown before a person asks for all. */
const SHOWN = 6;

/** Bars of numbers of leads. Each bar is a row of a table, so that it reads without the drawing. */
export function BarTable({ caption, bars, columns = [] }: BarTableProps) {
  const [isOpen, setOpen] = useState(false);
  const largest = Math.max(1, ...bars.map(({ leads }) => leads));
  const shown = isOpen ? bars : bars.slice(0, SHOWN);
  return (
    bars.length > 0 && (
      <div className="report-bars">
        <table>
          <thead>
            <tr>
              <th scope="col">{caption}</th>
              <th scope="col">{words.sources.leads}</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ label, leads, part = 0, filter, cells = [] }) => (
              <tr key={label}>
                <th scope="row">
                  <a href={listAddress(filter)}>{label}</a>
                </th>
                <td>
                  <span className="report-bar">
                    <Drawing leads={leads} part={part} largest={largest} />
                    {figure(leads)}
                  </span>
                </td>
                {columns.map((column, index) => (
                  <td key={column}>{cells[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length < bars.length && (
          <button type="button" className="desk-link" onClick={() => setOpen(true)}>
            {words.all(bars.length)}
          </button>
        )}
      </div>
    )
  );
}

function Drawing({ leads, part, largest }: { leads: number; part: number; largest: number }) {
  const width = scaleLinear([0, largest], [0, 100]);
  return (
    <svg className="report-drawing" height="12" aria-hidden="true" focusable="false">
      <rect className="report-bar-all" width={`${width(leads)}%`} height="12" />
      {part > 0 && <rect className="report-bar-part" width={`${width(part)}%`} height="12" />}
    </svg>
  );
}
