import { type App, AppProposal } from "@place-access/domain/apps"
import type { AppId } from "@place-access/domain/shared"
import * as AppLogo from "../appLogo.js"
import * as Comparison from "../kit/Comparison.js"
import { type Html, html, type Text, type Value } from "../../html/Html.js"
import { texts } from "../../languages/index.js"

const words = texts.developer

/** A table of the app's changes that wait for a reviewer, next to the version in force. False when no change waits. */
export const pendingChange = (app: App.App): Html | false => {
  const differences = AppProposal.differences(app)
  return (
    differences !== null &&
    changeTable(app.id, differences, { current: words.versions.inForce, pending: words.versions.waits })
  )
}

/**
 * The table of changed parts. The proposed homepage is text and not a link, because perhaps nobody has checked where
 * the address leads.
 */
export const changeTable = (
  id: AppId,
  { description, homepageUrl, logo, name, redirectUris, scopes }: AppProposal.Differences,
  heads: { readonly current: Text; readonly pending: Text }
): Html =>
  Comparison.table(heads, [
    ...row(words.parts.name, name),
    ...row(words.parts.description, description),
    ...row(words.parts.homepage, homepageUrl),
    ...row(words.parts.logo, logo, (digest) => AppLogo.picture(id, digest, words.parts.theLogo)),
    ...listRow(words.parts.scopes, scopes),
    ...listRow(words.parts.redirects, redirectUris)
  ])

const NONE = html`<span class="soft">${words.parts.none}</span>`

type Part = { readonly approved: string | null; readonly proposed: string } | null

const row = (name: Html, part: Part, show: (value: string) => Value = (value) => value) => {
  if (part === null) return []
  const current = part.approved === null ? NONE : show(part.approved)
  return [{ name, isChanged: true, current, pending: show(part.proposed) }]
}

type Lists = { readonly approved: ReadonlyArray<string> | null; readonly proposed: ReadonlyArray<string> } | null

const listRow = (name: Html, part: Lists) => {
  if (part === null) return []
  const approved = part.approved ?? []
  const { current, pending } = Comparison.lists(approved, part.proposed)
  return [{ name, isChanged: true, current: approved.length === 0 ? NONE : current, pending }]
}
