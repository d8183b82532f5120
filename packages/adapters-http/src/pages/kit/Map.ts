import { Entropy } from "@place-access/domain/shared"
import { Effect } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import * as BaseMap from "./BaseMap.js"
import { attribute, escape, forReader, type Html, html, type Text } from "../../html/Html.js"
import { forScript, type TextFiles, texts, textsIn } from "../../languages/index.js"

const words = texts.map

/**
 * A map on which a person chooses the centre of a circle. The map writes to the fields `lat`, `lon` and `radius_m` of a
 * form on the same page. The map is hidden until its script runs; without the script, the person types the coordinates
 * into the form. The script closes the element with the id `by-hand`, which contains the fields for the coordinates,
 * unless one of these fields has a fault. Decision places-4.
 */
export interface Map {
  readonly html: Html
  /**
   * The option `map` of the page. With this option, the page loads the map's scripts with their texts, and its
   * Content-Security-Policy allows the scripts and the tiles.
   */
  readonly needs: MapPolicy
}

export interface MapPolicy {
  /** The browser runs only scripts that carry this nonce. The nonce of each answer is new. */
  readonly nonce: string
  /** The texts of the map's scripts. */
  readonly texts: Html
  /** The origin of the map tiles; null when the page draws the base map of this service. */
  readonly tileOrigin: string | null
}

export interface MapCircle {
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
}

/** The reader's newest location. While the form has no coordinates, the map begins around this location. */
export interface MapPoint {
  readonly lat: number
  readonly lon: number
}

export const make = (
  circles: ReadonlyArray<MapCircle>,
  newest: MapPoint | null = null
): Effect.Effect<Map, never, HttpOptions | Entropy.Entropy> =>
  Effect.gen(function* () {
    const { tileUrl } = yield* HttpOptions
    const nonce = yield* Entropy.nonce
    const data = JSON.stringify(circles.map(({ label, lat, lon, radiusM }) => ({ label, lat, lon, radius_m: radiusM })))
    return {
      needs: {
        nonce,
        texts: forScript(({ map }) => map.script),
        tileOrigin: tileUrl === null ? null : originOf(tileUrl)
      },
      html: html`<div data-with-map hidden>
          <p class="hint" id="map-hint">${words.hint}</p>
          <div
            class="map"
            id="map"
            role="region"
            aria-label="${words.label}"
            aria-describedby="map-hint"
            data-places="${data}"
            ${attribute("data-newest", newest === null ? null : JSON.stringify(newest))}
            ${tileUrl === null ? attribute("data-base", BaseMap.address) : attribute("data-tiles", tileUrl)}
            ${attribute("data-attribution", attributionOf(tileUrl))}
          ></div>
        </div>
        <p class="actions" id="here-row" hidden>
          <button type="button" class="second" id="here">${words.here}</button
          ><span class="soft small" id="here-said" role="status"></span>
        </p>`
    }
  })

/**
 * The credit below the base map. Natural Earth is in the public domain and requires no credit, but its name tells a
 * reader how detailed the map can be.
 */
const BASE_MAP = "Natural Earth"

const originOf = (tileUrl: string): string => new URL(tileUrl.replace(/\{\w+\}/g, "0")).origin

/**
 * The credit that Leaflet shows below the map, as HTML. The licence of OpenStreetMap requires the name “OpenStreetMap”;
 * for other tile servers, the credit is the name of the host.
 */
const attributionOf = (tileUrl: string | null): Text =>
  tileUrl === null ? BASE_MAP : forReader(({ language }) => attribution(tileUrl, textsIn(language).map))

const attribution = (tileUrl: string, { openStreetMap, tilesOf }: TextFiles["map"]): string => {
  const { hostname } = new URL(originOf(tileUrl))
  return /(?:^|\.)openstreetmap\.org$/.test(hostname)
    ? `<a href="https://www.openstreetmap.org/copyright" rel="noopener noreferrer" target="_blank">${escape(openStreetMap)}</a>`
    : escape(tilesOf(hostname))
}
