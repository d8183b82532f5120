import { type App, AppProposal } from "@place-access/domain/apps"
import type { WebhookEndpoint } from "@place-access/domain/endpoints"
import type { Purpose } from "@place-access/domain/purposes"
import type { Text } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Fields from "../kit/Fields.js"
import type * as Form from "../kit/Form.js"

// A form about an app, a purpose or an endpoint is not saved when somebody, perhaps the same person in another tab, has
// made a change after the form was opened. This module makes the form that the page then shows (decision apps-11).

const words = texts.developer.outdated

/**
 * A form that is shown again. Texts are shown as the person typed them; lists and addresses as they are saved now. The
 * problems of the form say where the posted form differs from the saved values.
 */
interface OutdatedForm {
  readonly form: Fields.Shown
  readonly ticked: ReadonlyArray<string>
}

type Problems = ReadonlyArray<Fields.ShownProblem>

/** A problem when the typed text differs from the saved text. */
const text = (field: string, typed: string, saved: string): Problems =>
  typed === saved ? [] : [{ field, message: saved === "" ? words.textNone : words.text(saved) }]

/** A problem when the posted address differs from the saved address. The form then shows the saved address. */
const address = (field: string, posted: string, saved: string): Problems =>
  posted === saved ? [] : [{ field, message: posted === "" ? words.addressNone : words.address(posted) }]

/**
 * A problem when the posted list differs from the saved list. The form then shows the saved list. So an entry that
 * somebody else has removed does not come back when the person saves the form without a further change.
 */
const list = (
  field: string,
  posted: ReadonlyArray<string>,
  saved: ReadonlyArray<string>,
  none: Text = words.listNone
): Problems =>
  posted.length === saved.length && posted.every((one) => saved.includes(one))
    ? []
    : [{ field, message: posted.length === 0 ? none : words.list(posted.join(", ")) }]

/**
 * The posted form with the values of `saved` in place of the posted values. `saved` contains the values by which the
 * service recognises an outdated form, such as the present revision. So the person can check the form and then save it.
 */
const formAgain = (form: Form.Form, saved: Readonly<Record<string, string>>, problems: Problems): Fields.Shown => ({
  values: (name) => saved[name] ?? form.value(name),
  problems: [Fields.OUTDATED, ...problems]
})

/** The outdated form of the app. `typed`: the decoded values of the posted form. */
export const ofApp = (
  form: Form.Form,
  typed: Pick<AppProposal.Profile, "name" | "description" | "homepageUrl" | "scopes">,
  app: App.App
): OutdatedForm => {
  const { description, homepageUrl, name, scopes } = AppProposal.wanted(app)
  return {
    form: formAgain(form, { revision: String(app.revision), homepage_url: homepageUrl ?? "" }, [
      ...text("name", typed.name, name),
      ...text("description", typed.description, description),
      ...address("homepage_url", typed.homepageUrl ?? "", homepageUrl ?? ""),
      ...list("scopes", typed.scopes, scopes)
    ]),
    ticked: scopes
  }
}

/** The outdated form of the redirect URIs. `typed`: the lines of the posted form. */
export const ofRedirects = (form: Form.Form, typed: ReadonlyArray<string>, app: App.App): OutdatedForm => {
  const { redirectUris } = AppProposal.wanted(app)
  const saved = { revision: String(app.revision), redirect_uris: redirectUris.join("\n") }
  return { form: formAgain(form, saved, list("redirect_uris", typed, redirectUris)), ticked: [] }
}

/** The outdated form of a purpose. `typed`: the decoded values of the posted form. */
export const ofPurpose = (
  form: Form.Form,
  typed: Purpose.PurposeTerms,
  { revision, terms }: Purpose.Purpose
): OutdatedForm => ({
  form: formAgain(form, { revision: String(revision) }, [
    ...text("purpose_description", typed.description, terms.description),
    ...list("purpose_scopes", typed.scopes, terms.scopes),
    ...text("expected_daily_volume", String(typed.expectedDailyVolume), String(terms.expectedDailyVolume))
  ]),
  ticked: terms.scopes
})

/** The outdated form of an endpoint. `typed`: the decoded values of the posted form. */
export const ofEndpoint = (
  form: Form.Form,
  typed: { readonly url: string; readonly events: ReadonlyArray<string>; readonly description: string },
  { description, events, url }: WebhookEndpoint.WebhookEndpoint
): OutdatedForm => ({
  form: formAgain(form, { url, ...shownEndpoint({ description, events, url }) }, [
    ...address("url", typed.url, url),
    ...list("events", typed.events, events, words.allEvents),
    ...text("description", typed.description, description ?? "")
  ]),
  ticked: events
})

/**
 * The values for hidden fields of the endpoint's form: what the endpoint was when the page showed the form. The service
 * compares these values with the saved endpoint to learn whether the form is outdated.
 */
export const shownEndpoint = ({
  description,
  events,
  url
}: Pick<WebhookEndpoint.WebhookEndpoint, "description" | "events" | "url">) => ({
  was_url: url,
  was_events: events.join(" "),
  was_description: description ?? ""
})
