import { attribute, flag, forReader, Html, html, nothing, type Text, type Value } from "../../html/Html.js"
import { ofApi, texts } from "../../languages/index.js"
import { ofDomain } from "./Time.js"

const words = texts.frame.fields

/**
 * A problem with a field. The message is an English text of the domain or the API, which pages translate, or a text of
 * the page in the reader's language.
 */
export interface ShownProblem {
  readonly field: string
  readonly message: Text
}

/** The state of a form: the values that were typed and the problems with them, both by field name. */
export interface Shown {
  readonly values: (name: string) => string
  readonly problems: ReadonlyArray<ShownProblem>
}

/** A form that nobody has filled in yet. */
export const fresh = (values: Readonly<Record<string, string>> = {}): Shown => ({
  values: (name) => values[name] ?? "",
  problems: []
})

/**
 * The problem of an outdated form: somebody changed the values after the person opened the form. The page then shows
 * the form again with the texts that the person typed (decision apps-11). The problem belongs to no single field.
 */
export const OUTDATED: ShownProblem = { field: "form", message: words.outdated }

/** The same problem as `OUTDATED`, for a page that shows the present values and drops what the person entered. */
export const OUTDATED_ANEW: ShownProblem = { field: "form", message: words.outdatedAnew }

/** The problem of a form whose token is no longer valid. The page shows the form again with what the person typed. */
export const EXPIRED: ShownProblem = { field: "form", message: words.expired }

const faultsOf = (shown: Shown, name: string): ReadonlyArray<ShownProblem> =>
  shown.problems.filter(({ field }) => field === name || field.startsWith(`${name}[`))

/**
 * The list of problems at the top of a form, with links to the fields (WCAG technique G139). `labels` are the names of
 * the fields on the page.
 */
export const problems = (shown: Shown, labels: Readonly<Record<string, Text>>): Html =>
  shown.problems.length === 0
    ? nothing
    : problemBox(
        html`<h2>${words.problems}</h2>
          <ul class="plain">
            ${shown.problems.map(({ field, message }) => {
              const name = field.replace(/[[.].*$/, "")
              const label = labels[name]
              return label === undefined
                ? html`<li>${said(message)}</li>`
                : html`<li><a href="#${name}">${sentence(label, [message])}</a></li>`
            })}
          </ul>`
      )

/**
 * This text is in a page exactly when the page has a box of problems. Text that a person typed cannot contain it,
 * because the quotation marks of typed text are escaped.
 */
export const PROBLEM_BOX = 'class="problems"'

/**
 * A box that says why the service refused a form. It gets the focus, so that people who hear the page, or see a small
 * part of it, do not have to look for what changed. `respond` marks the page's title (WCAG technique G139).
 */
export const problemBox = (content: Html): Html =>
  html`<div class="problems" role="alert" tabindex="-1" autofocus>${content}</div>`

/**
 * Matches a message that continues a sentence which begins with the label of its field. Such a message begins with a
 * verb, or with `in line` (in English or German).
 */
const GOES_ON =
  /^(?:must|is|are|was|were|cannot|belongs|in line|muss|müssen|ist|sind|war|waren|wird|wurde|hat|fehlt|gehört|kann|können|darf|dürfen|in Zeile)\b/

/** Joins a label and a message: "Password must be …", but "What the app can do: choose …". */
const sentence = (label: Text, messages: ReadonlyArray<Text>): Html => {
  const text = html`${messages.map((message, index) => html`${index > 0 && ", "}${said(message)}`)}`
  return forReader((locale) => html`${label}${GOES_ON.test(text.in(locale)) ? " " : ": "}${text}`)
}

/**
 * A message about a problem, in the reader's language. For an e-mail address this function has its own text: the
 * domain's message after the label would say that an e-mail address must be an e-mail address.
 */
export const said = (message: Text): Html =>
  message === "must be an e-mail address"
    ? html`${words.noEmail}`
    : typeof message === "string"
      ? (ofApi(message) ?? ofDomain(message))
      : message

interface Input {
  readonly name: string
  /**
   * The id of the control, and the name of the field in the form's problems. The default is `name`. A page with the
   * same form for several people needs a different id in each form.
   */
  readonly id?: string
  readonly label: Text
  readonly hint?: Value
  readonly type?: "text" | "email" | "password" | "url" | "number" | "date" | "time"
  readonly required?: boolean
  readonly autocomplete?: string
  readonly inputmode?: "decimal" | "numeric"
  /** The most characters that the service takes, in code points (`Text.length`). */
  readonly maxlength?: number
}

/**
 * The attribute `maxlength`. Browsers count UTF-16 units, of which an emoji has two, and cut a longer text off. So the
 * attribute allows two units for each character. The service itself refuses a text with too many characters.
 */
const mostUnits = (characters: number | undefined): Html =>
  attribute("maxlength", characters === undefined ? undefined : 2 * characters)

const describedBy = (name: string, hint: Value, faulty: boolean): Html => {
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(faulty ? [`${name}-fault`] : [])]
  return html`${attribute("aria-describedby", ids.length === 0 ? null : ids.join(" "))}${faulty && new Html(' aria-invalid="true"')}`
}

const around = (shown: Shown, name: string, label: Text, hint: Value, control: Html): Html => {
  const faults = faultsOf(shown, name)
  return html`<div class="field">
    <label for="${name}">${label}</label> ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${
      faults.length > 0 &&
      html`<p class="fault" id="${name}-fault">
        ${sentence(
          label,
          faults.map(({ message }) => message)
        )}
      </p>`
    }
    ${control}
  </div>`
}

export const input = (shown: Shown, field: Input): Html => {
  const { autocomplete, hint, inputmode, label, maxlength, name, id = name, required = true, type = "text" } = field
  const value = type === "password" ? null : shown.values(name)
  return around(
    shown,
    id,
    label,
    hint,
    html`<input
      id="${id}"
      name="${name}"
      type="${type}"
      ${attribute("value", value)}${attribute("autocomplete", autocomplete ?? "off")}
      ${attribute("inputmode", inputmode)}${mostUnits(maxlength)}${flag("required", required)}
      ${describedBy(id, hint, faultsOf(shown, id).length > 0)}
    />`
  )
}

/** The field in which a person chooses a new password. */
export const newPassword = (shown: Shown, name: string, label: Text): Html =>
  input(shown, {
    name,
    label,
    type: "password",
    autocomplete: "new-password",
    hint: words.newPassword
  })

/**
 * The e-mail address of the account, in a field that people do not see. Password managers read the field: they fill in
 * the password of this account, or save a new password under this address. There is no field for an account without an
 * address (null).
 */
export const username = (email: string | null): Html =>
  html`${email !== null && html`<input type="text" name="username" value="${email}" autocomplete="username" readonly hidden />`}`

export const textarea = (
  shown: Shown,
  field: Pick<Input, "name" | "label" | "hint" | "required" | "maxlength">
): Html => {
  const { hint, label, maxlength, name, required = true } = field
  return around(
    shown,
    name,
    label,
    hint,
    html`<textarea
      id="${name}"
      name="${name}"
      ${mostUnits(maxlength)}${flag("required", required)}${describedBy(name, hint, faultsOf(shown, name).length > 0)}
    >
${shown.values(name)}</textarea>`
  )
}

export const select = (
  shown: Shown,
  { hint, label, name, id = name }: Pick<Input, "name" | "id" | "label" | "hint">,
  options: ReadonlyArray<{ readonly value: string; readonly text: Text }>
): Html =>
  around(
    shown,
    id,
    label,
    hint,
    html`<select id="${id}" name="${name}" ${describedBy(id, hint, faultsOf(shown, id).length > 0)}>
      ${options.map(
        ({ text, value }) =>
          html`<option value="${value}" ${flag("selected", shown.values(name) === value)}>${text}</option>`
      )}
    </select>`
  )

/**
 * A field in which a person chooses one file, or `several` files. `accept`: the types that the browser's dialog offers
 * first.
 */
export const file = (
  shown: Shown,
  field: Pick<Input, "name" | "id" | "label" | "hint"> & {
    /** The name of the field in the sentence about the field's problem. */
    readonly faultLabel: Text
    readonly accept?: string
    readonly several?: true
  }
): Html => {
  const { accept, faultLabel, hint, label, name, id = name, several = false } = field
  return html`<div class="field">
    <label for="${id}">${label}</label> ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${groupFault(shown, id, faultLabel)}
    <input
      id="${id}"
      name="${name}"
      type="file"
      required
      ${flag("multiple", several)}${attribute("accept", accept ?? null)}
      ${describedBy(id, hint, faultsOf(shown, id).length > 0)}
    />
  </div>`
}

/**
 * Attributes of a `<fieldset>` that connect its checkboxes or radio buttons to their problems (`groupFault`). With
 * these attributes, a screen reader reads the problems together with the group. Nothing when the group has no problem.
 */
export const describedByFaults = (shown: Shown, ...names: ReadonlyArray<string>): Html => {
  const ids = names.filter((name) => faultsOf(shown, name).length > 0).map((name) => `${name}-fault`)
  return ids.length === 0 ? nothing : html` ${attribute("aria-describedby", ids.join(" "))}`
}

/**
 * The problem of a group of checkboxes or radio buttons (shown under the group's legend), or of a file (shown under the
 * field's label).
 */
export const groupFault = (shown: Shown, name: string, label: Text): Html => {
  const faults = faultsOf(shown, name)
  return faults.length === 0
    ? nothing
    : html`<p class="fault" id="${name}-fault">
        ${sentence(
          label,
          faults.map(({ message }) => message)
        )}
      </p>`
}

export const hidden = (name: string, value: Text): Html => html`<input type="hidden" name="${name}" value="${value}" />`

/** A tick box of a form. The browser sends `value` only when the box is ticked. The caller writes the label. */
export const tick = (box: {
  readonly name: string
  readonly value: string
  readonly id: string
  readonly isTicked: boolean
}): Html =>
  html`<input
    type="checkbox"
    name="${box.name}"
    value="${box.value}"
    id="${box.id}"
    ${flag("checked", box.isTicked)}
  />`
