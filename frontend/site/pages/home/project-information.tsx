import { useId } from "react";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { towers } from "#site/content/facts.ts";
import { project } from "#site/content/project.ts";
import { useFactText } from "#site/content/project-facts.tsx";
import { anchors } from "#site/routes.ts";
import "./project-information.css";

const architects = ["conceptArchitect", "projectArchitect", "landscapeArchitect"] as const;
/** The statements that the law requires of a developer. */
const statutory = ["licence", "lot", "vacantPossession", "legalCompletion"] as const;

export function ProjectInformation() {
  const { t } = useTranslation();
  const factText = useFactText();
  const known = statutory.filter((fact) => project[fact] !== null);
  const open = statutory.filter((fact) => project[fact] === null);
  const rows = {
    name: project.name,
    developer: (
      <>
        {t("information.developerText")}
        {project.developer !== null && <br />}
        {project.developer !== null && factText(project.developer)}
      </>
    ),
    description: unbroken(t("information.descriptionText")),
    units: unbroken(t("information.unitsText")),
    tenure: unbroken(t("information.tenureText")),
    unitTypes: unbroken(t("information.unitTypesText")),
    ...Object.fromEntries([...architects, ...known].map((fact) => [fact, factText(project[fact])])),
  };
  return (
    <section id={anchors.information} className="information on-travertine">
      <div className="information-body section page-grid">
        <h2>{t("information.heading")}</h2>
        <div className="information-facts">
          <table>
            <tbody>
              {Object.entries(rows).map(([name, content]) => (
                <tr key={name}>
                  <th scope="row">{t(`information.${name as keyof typeof rows}`)}</th>
                  <td>{content}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {open.length > 0 && (
            <p className="information-open small quiet">
              {t("openFacts", {
                name: open.map((fact) => t(`information.${fact}`)).join("\u00a0\u00b7 "),
              })}
            </p>
          )}
        </div>
        <figure className="information-elevation">
          <Elevation />
          <figcaption>{unbroken(t("benefits.elevation"))}</figcaption>
        </figure>
      </div>
    </section>
  );
}

const STOREY = 7.5;
const LINE = 1.25;
const GROUND = 500;
const drawn = [
  { left: 20, width: 96, storeys: towers[0] },
  { left: 158, width: 96, storeys: towers[1] },
  { left: 296, width: 72, storeys: towers[2] },
].map((tower) => ({ ...tower, height: tower.storeys * STOREY }));
const SWING = 3;

/** An elevation of the towers with their number of storeys. Each dash of a thick stroke is a storey. */
function Elevation() {
  const outlines = useId();
  return (
    <svg className="elevation" viewBox="0 0 388 540" aria-hidden="true">
      <clipPath id={outlines}>
        <path d={drawn.map(outlineOf).join("")} />
      </clipPath>
      <g clipPath={`url(#${outlines})`} stroke="currentColor">
        {drawn.map(({ left, width, height }) => (
          <path
            key={left}
            d={`M${left + width / 2} ${GROUND - STOREY}v${LINE - height}`}
            strokeWidth={width + 2 * SWING}
            strokeDasharray={`${LINE} ${STOREY - LINE}`}
          />
        ))}
      </g>
      {drawn.map(({ left, width, height, storeys }) => (
        <text key={left} x={left + width / 2} y={GROUND - height - 14}>
          {storeys}
        </text>
      ))}
      <path d={`M0 ${GROUND}H388`} stroke="currentColor" strokeWidth="1.5" />
      <path
        className="elevation-river"
        d="M0 522q48.5-14 97 0t97 0 97 0 97 0"
        fill="none"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** Sides that swing out, in and out again, and shoulders that draw in over the last three storeys. */
function outlineOf({ left, width, height }: (typeof drawn)[number]): string {
  const swing = 2 * SWING;
  const shoulders = 3 * STOREY;
  const step = (height - shoulders) / 3;
  return [
    `M${left} ${GROUND}`,
    `q${-swing} ${-step / 2} 0 ${-step}t0 ${-step} 0 ${-step}`,
    `l8 ${-shoulders - LINE}h${width - 16}l8 ${shoulders + LINE}`,
    `q${swing} ${step / 2} 0 ${step}t0 ${step} 0 ${step}z`,
  ].join("");
}
