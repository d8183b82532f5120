import type { ServiceOptions } from "../../HttpOptions.js"
import * as Cached from "../../edge/Cached.js"
import { escape, html, type Value } from "../../html/Html.js"
import * as Routes from "../kit/Routes.js"
import { CHANGES } from "./changes.js"
import type { Change } from "./changes/Change.js"
import { DOCS, ENGLISH, page } from "./frame.js"
import { prose } from "./prose.js"

const KINDS: Readonly<Record<Change["kind"], string>> = {
  added: "Added",
  changed: "Changed",
  deprecated: "Deprecated",
  removed: "Removed"
}

const day = (on: string): string =>
  new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).format(
    Date.parse(`${on}T00:00:00Z`)
  )

const DAYS = Array.from(new Set(CHANGES.map(({ on }) => on)))

export const pages = [
  page(`${DOCS}/changes`, () => ({
    title: "Changes",
    about: "What changed for apps, by day",
    lead: html`What somebody who calls the service can notice, the newest first. There is
      <a href="${FEED}">a feed</a> (Atom).`,
    sections: DAYS.map((on) => ({
      id: on,
      name: day(on),
      content: CHANGES.filter((change) => change.on === on).map(section)
    }))
  }))
]

const section = ({ id, kind, text, title }: Change): Value =>
  html`<h3 id="${id}">${KINDS[kind]}: ${title}</h3>
    ${prose(text)}`

const FEED = `${DOCS}/changes.atom`

/** The changes as an Atom feed (RFC 4287). */
export const feed = ({ baseUrl }: ServiceOptions) =>
  Routes.get(
    FEED,
    Cached.handler("application/atom+xml; charset=utf-8", () =>
      [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        "  <title>Place-Aware Access Service: changes for apps</title>",
        `  <id>${escape(`${baseUrl}${DOCS}/changes`)}</id>`,
        `  <link rel="self" href="${escape(`${baseUrl}${FEED}`)}"/>`,
        `  <link href="${escape(`${baseUrl}${DOCS}/changes`)}"/>`,
        `  <updated>${CHANGES[0]?.on ?? "2026-01-01"}T00:00:00Z</updated>`,
        "  <author><name>Place-Aware Access Service</name></author>",
        ...CHANGES.flatMap((change) => {
          const address = escape(`${baseUrl}${DOCS}/changes#${change.id}`)
          const content = html`${prose(change.text)}`.in(ENGLISH).replaceAll(' href="/', ` href="${baseUrl}/`)
          return [
            "  <entry>",
            `    <title>${escape(`${KINDS[change.kind]}: ${change.title}`)}</title>`,
            `    <id>${address}</id>`,
            `    <link href="${address}"/>`,
            `    <updated>${change.on}T00:00:00Z</updated>`,
            `    <content type="html">${escape(content)}</content>`,
            "  </entry>"
          ]
        }),
        "</feed>",
        ""
      ].join("\n")
    )
  )
