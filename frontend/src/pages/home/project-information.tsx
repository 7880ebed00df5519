import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FactText } from "#content/fact-text.tsx";
import { towers } from "#content/facts.ts";
import { project } from "#content/project.ts";
import { anchors } from "#routes.ts";
import { Unbroken } from "#ui/unbroken.tsx";
import { Elevation } from "./elevation.tsx";
import "./project-information.css";

export function ProjectInformation() {
  const { t } = useTranslation();
  return (
    <section id={anchors.information} className="information on-travertine">
      <div className="information-body section page-grid">
        <h2>{t("information.heading")}</h2>
        <table>
          <tbody>
            <Row name={t("information.name")}>{project.name}</Row>
            <Row name={t("information.developer")}>
              {t("information.developerText")}
              {project.developer !== null && (
                <>
                  <br />
                  <FactText fact={project.developer} />
                </>
              )}
            </Row>
            <Row name={t("information.description")}>
              <Unbroken text={t("information.descriptionText")} />
            </Row>
            <Row name={t("information.units")}>
              <Unbroken text={t("information.unitsText")} />
            </Row>
            <Row name={t("information.tenure")}>
              <Unbroken text={t("information.tenureText")} />
            </Row>
            <Row name={t("information.unitTypes")}>
              <Unbroken text={t("information.unitTypesText")} />
            </Row>
            <Row name={t("information.conceptArchitect")}>
              <FactText fact={project.conceptArchitect} />
            </Row>
            <Row name={t("information.projectArchitect")}>
              <FactText fact={project.projectArchitect} />
            </Row>
            <Row name={t("information.landscapeArchitect")}>
              <FactText fact={project.landscapeArchitect} />
            </Row>
          </tbody>
        </table>
        <StatutoryFacts />
        <figure className="information-elevation">
          <Elevation storeys={towers} />
          <figcaption>
            <Unbroken text={t("benefits.elevation")} />
          </figcaption>
        </figure>
      </div>
    </section>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}

/** What the law asks a developer to state, as far as it is known. */
function StatutoryFacts() {
  const { t } = useTranslation();
  const facts = ["licence", "lot", "vacantPossession", "legalCompletion"] as const;
  const known = facts.filter((fact) => project[fact] !== null);
  return (
    <div className="information-statutory small">
      <dl className="hairline-list hairline-list-closed">
        {known.map((fact) => (
          <div key={fact} className="spread">
            <dt className="quiet">{t(`information.${fact}`)}</dt>
            <dd>
              <FactText fact={project[fact]} />
            </dd>
          </div>
        ))}
      </dl>
      {known.length < facts.length && <p className="quiet">{t("information.follows")}</p>}
    </div>
  );
}
