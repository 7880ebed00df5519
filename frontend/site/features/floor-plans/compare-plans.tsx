import { startTransition, useOptimistic } from "react";
import { Link } from "react-router-dom";
import {
  type FloorPlan,
  type FloorPlanId,
  findPlan,
  floorPlans,
  planNamed,
  squareMetres,
  withThousands,
} from "#shared/content/floor-plans.ts";
import { useLanguage } from "#shared/i18n/use-language.ts";
import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { plans } from "#site/art/plans.ts";
import { anchors, href } from "#site/routes.ts";
import "#shared/ui/field.css";
import { DismissButton } from "#shared/ui/icons.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import "./compare-plans.css";
import { Rooms } from "./floor-plan-card.tsx";
import { type Pair, useComparison } from "./plans-address.ts";

const places = ["first", "second"] as const;

/** Two plans at one scale. The address contains them: `?compare=B1,C2N`. */
export function ComparePlans() {
  const { t } = useTranslation();
  const { compared, compare } = useComparison();
  // The address changes in a transition, perhaps after the next choice.
  const [chosen, setChosen] = useOptimistic(compared);
  const [first, second] = chosen;
  // The cards choose the first plan.
  if (first === null && second === null) {
    return null;
  }

  function choose(place: number, id: FloorPlanId | null): void {
    const pair: Pair = place === 0 ? [id, second] : [first, id];
    startTransition(() => {
      setChosen(pair);
      compare(pair);
    });
  }

  return (
    <section
      id="compare"
      className="compare section-end page-width"
      aria-labelledby="compare-heading"
    >
      <h2 id="compare-heading" className="h3">
        {t("plans.compare.heading")}
      </h2>
      <div className="compare-choices">
        {places.map((name, place) => (
          <div key={name}>
            <label className="field-label" htmlFor={`compare-${name}`}>
              {t(`plans.compare.${name}`)}
            </label>
            <select
              id={`compare-${name}`}
              className="field-input"
              value={chosen[place] ?? ""}
              onChange={(event) => choose(place, planNamed(event.target.value))}
            >
              <option value="">{t("plans.compare.choose")}</option>
              {floorPlans.map(({ id }) => (
                // The name of the plan first: a phone shows only the beginning.
                <option key={id} value={id}>
                  {id} · {t(`unit.${id}.heading`).slice(0, -id.length)}
                </option>
              ))}
            </select>
          </div>
        ))}
      </div>
      <div aria-live="polite">{first && second && <SideBySide pair={[first, second]} />}</div>
    </section>
  );
}

function SideBySide({ pair }: { pair: [FloorPlanId, FloorPlanId] }) {
  const { t } = useTranslation();
  const language = useLanguage();
  // Every drawing has the same number of pixels to the metre.
  const widest = Math.max(...pair.map((id) => plans[id].large.width));
  const [first, second] = pair;
  return (
    <>
      <Differences first={findPlan(first)} second={findPlan(second)} />
      <Link
        className="button compare-ask"
        to={`${href("home", language, { ask: pair.join() }).replace("%2C", ",")}#${anchors.form}`}
      >
        {t("plans.compare.ask", { first, second })}
      </Link>
      <div className="compare-pair">
        {pair.map((id, place) => {
          const { large } = plans[id];
          const plan = findPlan(id);
          const name = t(`unit.${id}.heading`);
          return (
            // A new element for each plan: see `Area`.
            <figure key={`${places[place]} ${id}`}>
              <img
                src={large[language]}
                width={large.width}
                height={large.height}
                alt={t("plans.picture", { name })}
                style={{ width: `${(100 * large.width) / widest}%` }}
              />
              <figcaption>
                <b>{name}</b>
                <p>
                  <span className="unbroken">
                    {withThousands(plan.size)} {t("areaUnit")}
                  </span>{" "}
                  <span className="unbroken">
                    ({squareMetres(plan)} {t("plans.table.squareMetres")})
                  </span>
                </p>
                <Rooms of={plan} />
              </figcaption>
            </figure>
          );
        })}
      </div>
      <p className="compare-scale small quiet">{t("plans.compare.scale")}</p>
    </>
  );
}

/** The difference of the second plan from the first in area and rooms. */
function Differences({ first, second }: { first: FloorPlan; second: FloorPlan }) {
  const { t } = useTranslation();
  const worded = {
    size: (count: number) => `${withThousands(count)}\u00a0${t("areaUnit")}`,
    bedrooms: (count: number) => t("plans.bedrooms", { count }),
    bathrooms: (count: number) => t("plans.bathrooms", { count }),
  };
  const texts = (["size", "bedrooms", "bathrooms"] as const).flatMap((what) => {
    const difference = second[what] - first[what];
    const text = worded[what](Math.abs(difference));
    return difference === 0
      ? []
      : t(difference > 0 ? "plans.compare.more" : "plans.compare.less", { text });
  });
  return (
    texts.length > 0 && (
      <p key={`${first.id} ${second.id}`} className="compare-difference">
        {t("plans.compare.difference", { first: first.id, second: second.id })}{" "}
        <b>{unbroken(texts.join("\u00a0\u00b7 "))}</b>
      </p>
    )
  );
}

/** The plans chosen on the cards, at the bottom of the window. */
export function CompareTray() {
  const { t } = useTranslation();
  const { compared, compare } = useComparison();
  const ids = compared.filter((id) => id !== null);
  return (
    <div className="compare-tray" aria-live="polite">
      {ids.length > 0 && (
        <div className="compare-tray-row on-ink cluster">
          <b>{ids.join(" \u00d7 ")}</b>
          {ids.length === 2 ? (
            <a className="button button-small" href="#compare">
              {t("plans.compare.add")}
            </a>
          ) : (
            <span className="small">{t("plans.compare.another")}</span>
          )}
          <DismissButton label={t("plans.compare.clear")} onClick={() => compare([null, null])} />
        </div>
      )}
    </div>
  );
}
