import { type App, AppProposal } from "@place-access/domain/apps"
import type { AppId } from "@place-access/domain/shared"
import * as AppLogo from "../appLogo.js"
import * as Comparison from "../kit/Comparison.js"
import { type Html, html, type Value } from "../kit/Html.js"

/**
 * The parts of an app in production that wait for a reviewer, beside the version in force. False when nothing waits.
 */
export const pendingChange = (app: App.App): Html | false => {
  const differences = AppProposal.differences(app)
  return (
    differences !== null && changeTable(app.id, differences, { current: "In force", pending: "Waits for a reviewer" })
  )
}

/**
 * The table of changed parts. The proposed homepage is shown as text and not as a link, because nobody has checked yet
 * where it leads.
 */
export const changeTable = (
  id: AppId,
  { description, homepageUrl, logo, name, redirectUris, scopes }: AppProposal.Differences,
  heads: { readonly current: string; readonly pending: string }
): Html =>
  Comparison.table(heads, [
    ...row("Name", name),
    ...row("Description", description),
    ...row("Web page", homepageUrl),
    ...row("Logo", logo, (digest) => AppLogo.picture(id, digest, "The logo")),
    ...listRow("Scopes", scopes),
    ...listRow("Redirect URIs", redirectUris)
  ])

const NONE = html`<span class="soft">None</span>`

type Part = { readonly approved: string | null; readonly proposed: string } | null

const row = (name: string, part: Part, show: (value: string) => Value = (value) => value) => {
  if (part === null) return []
  const current = part.approved === null ? NONE : show(part.approved)
  return [{ name, isChanged: true, current, pending: show(part.proposed) }]
}

type Lists = { readonly approved: ReadonlyArray<string> | null; readonly proposed: ReadonlyArray<string> } | null

const listRow = (name: string, part: Lists) => {
  if (part === null) return []
  const approved = part.approved ?? []
  const { current, pending } = Comparison.lists(approved, part.proposed)
  return [{ name, isChanged: true, current: approved.length === 0 ? NONE : current, pending }]
}
