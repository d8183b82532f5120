import { Entropy } from "@place-access/domain/shared"
import { Effect } from "effect"
import { HttpOptions } from "../../HttpOptions.js"
import { attribute, escape, type Html, html } from "./Html.js"

/**
 * A map to choose the centre of a circle. It writes to the fields `lat`, `lon` and `radius_m` of a form on the same
 * page. The map is hidden until its script runs; the form works without it.
 */
export interface Map {
  readonly html: Html
  /** What the page must allow for the map, passed on as `Page.map`. */
  readonly needs: MapPolicy
}

export interface MapPolicy {
  /** The browser runs only scripts that carry this nonce. Every answer has a new one. */
  readonly nonce: string
  /** The origin of the map tiles; null when the map has none. */
  readonly tileOrigin: string | null
}

export interface MapCircle {
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
}

export const make = (circles: ReadonlyArray<MapCircle>): Effect.Effect<Map, never, HttpOptions | Entropy.Entropy> =>
  Effect.gen(function* () {
    const { tileUrl } = yield* HttpOptions
    const nonce = yield* Entropy.secret
    const data = JSON.stringify(circles.map(({ label, lat, lon, radiusM }) => ({ label, lat, lon, radius_m: radiusM })))
    return {
      needs: { nonce, tileOrigin: tileUrl === null ? null : originOf(tileUrl) },
      html: html`<div data-with-map hidden>
          <p class="hint" id="map-hint">
            ${tileUrl === null && "This service has no map to show behind the circles. "}Click where the middle is. With
            the keyboard: arrows move the map, + and − zoom, Enter takes its middle.
          </p>
          <div
            class="map"
            id="map"
            role="region"
            aria-label="Map"
            aria-describedby="map-hint"
            data-places="${data}"
            ${attribute("data-tiles", tileUrl)}${attribute("data-attribution", tileUrl === null ? null : attribution(tileUrl))}
          ></div>
        </div>
        <p class="actions" id="here-row" hidden>
          <button type="button" class="second" id="here">Use where I am now</button
          ><span class="soft small" id="here-said" role="status"></span>
        </p>`
    }
  })

const originOf = (tileUrl: string): string => new URL(tileUrl.replace(/\{\w+\}/g, "0")).origin

/**
 * The text that Leaflet shows, as HTML. The licence of OpenStreetMap requires its name; for other tile servers only the
 * host is known.
 */
const attribution = (tileUrl: string): string => {
  const { hostname } = new URL(originOf(tileUrl))
  return /(?:^|\.)openstreetmap\.org$/.test(hostname)
    ? '<a href="https://www.openstreetmap.org/copyright" rel="noopener noreferrer" target="_blank">© OpenStreetMap contributors</a>'
    : `Map: ${escape(hostname)}`
}
