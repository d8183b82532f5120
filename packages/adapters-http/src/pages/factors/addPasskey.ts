import { addPasskey, describeFactors, Factors, issueChallenge } from "@place-access/domain/factors"
import { Effect, Either, Option, Schema } from "effect"
import { canHavePasskeys, toCreate } from "../../factors/passkeyOptions.js"
import * as PasskeyResponse from "../../factors/passkeyResponse.js"
import { HttpOptions, portalPath, type ServiceOptions } from "../../HttpOptions.js"
import * as Fields from "../kit/Fields.js"
import * as Form from "../kit/Form.js"
import { html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { respond, seeOther } from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { passkeyForm, passkeyPolicy, withoutPasskeys } from "./passkeyForm.js"
import { showCodes } from "./recoveryCodes.js"

const words = texts.factors.add

const LABELS = { name: words.name, passkey: texts.factors.asked.passkey }

const pathOf = (portal: string): string => `${portal}/settings/second-factor`

const page = (portal: string, visitor: Visitor.Visitor, form: Fields.Shown = Fields.fresh()) =>
  Effect.gen(function* () {
    const options = yield* HttpOptions
    if (!canHavePasskeys(options)) return seeOther(pathOf(portal))
    const { passkeys } = yield* describeFactors(visitor.account)
    const challenge = yield* issueChallenge({ _tag: "Add", userId: visitor.account.id })
    return yield* respond({
      title: words.title,
      reader: yield* Visitor.reader(visitor),
      current: `${portal}/settings`,
      width: "middle",
      status: form.problems.length === 0 ? 200 : 400,
      passkey: yield* passkeyPolicy,
      main: html`<p><a href="${pathOf(portal)}">${texts.factors.title}</a></p>
        <h1>${words.title}</h1>
        <p class="lead">${words.lead}</p>
        ${Fields.problems(form, LABELS)} ${withoutPasskeys(words.without)}
        ${passkeyForm({
          action: `${pathOf(portal)}/add-passkey`,
          does: "create",
          options: toCreate(options, challenge, visitor.account, passkeys),
          hidden: { form_token: yield* Visitor.tokenFor(visitor) },
          fields: Fields.input(form, {
            name: "name",
            label: LABELS.name,
            hint: words.nameHint,
            maxlength: 60
          }),
          button: words.button
        })}`
    })
  })

const Named = Schema.Struct({ name: Factors.PasskeyName })

const REJECTED: Fields.ShownProblem = { field: "passkey", message: words.rejected }

const add = (portal: string) =>
  Visitor.fresh((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const showAgain = (problems: ReadonlyArray<Fields.ShownProblem>) =>
        page(portal, visitor, Form.shown(form, problems))
      const named = Form.decode(Named, { name: form.value("name") })
      if (Either.isLeft(named)) return yield* showAgain(named.left)
      const response = PasskeyResponse.read(form.value("passkey"))
      if (Option.isNone(response)) return yield* showAgain([REJECTED])
      return yield* addPasskey(visitor.account, { name: named.right.name, response: response.value }).pipe(
        Effect.flatMap((codes) =>
          codes === null
            ? Effect.succeed(seeOther(`${pathOf(portal)}?done=passkey-added`))
            : showCodes(portal, visitor, { codes, done: texts.factors.shownOnce.passkeyAdded })
        ),
        Effect.catchTag("WrongFactor", () =>
          Effect.flatMap(describeFactors(visitor.account), ({ passkeys }) =>
            // If the account has this passkey already, the person pressed the button twice. The browser dropped the
            // first answer, which had the recovery codes if this is the first factor. So the second answer leads back
            // to the settings, with a notice.
            passkeys.some(({ id }) => id === response.value.id)
              ? Effect.succeed(seeOther(`${pathOf(portal)}?done=passkey-is-there`))
              : showAgain([REJECTED])
          )
        )
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  const path = `${pathOf(portal)}/add-passkey`
  return [
    Routes.get(
      path,
      Visitor.fresh((visitor) => page(portal, visitor))
    ),
    Routes.post(path, add(portal))
  ]
}
