import { useTranslation } from "react-i18next";
import { useFactText } from "#content/fact-text.tsx";
import { towers } from "#content/facts.ts";
import { project } from "#content/project.ts";
import { anchors } from "#routes.ts";
import { unbroken } from "#ui/unbroken.tsx";
import { Elevation } from "./elevation.tsx";
import "./project-information.css";

export function ProjectInformation() {
  const { t } = useTranslation();
  const factText = useFactText();
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
    conceptArchitect: factText(project.conceptArchitect),
    projectArchitect: factText(project.projectArchitect),
    landscapeArchitect: factText(project.landscapeArchitect),
  };
  return (
    <section id={anchors.information} className="information on-travertine">
      <div className="information-body section page-grid">
        <h2>{t("information.heading")}</h2>
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
        <StatutoryFacts />
        <figure className="information-elevation">
          <Elevation storeys={towers} />
          <figcaption>{unbroken(t("benefits.elevation"))}</figcaption>
        </figure>
      </div>
    </section>
  );
}

/** What the law asks a developer to state, as far as it is known. */
function StatutoryFacts() {
  const { t } = useTranslation();
  const factText = useFactText();
  const facts = ["licence", "lot", "vacantPossession", "legalCompletion"] as const;
  const known = facts.filter((fact) => project[fact] !== null);
  return (
    <div className="information-statutory small">
      <dl className="hairline-list hairline-list-closed">
        {known.map((fact) => (
          <div key={fact} className="spread">
            <dt className="quiet">{t(`information.${fact}`)}</dt>
            <dd>{factText(project[fact])}</dd>
          </div>
        ))}
      </dl>
      {known.length < facts.length && <p className="quiet">{t("information.follows")}</p>}
    </div>
  );
}
