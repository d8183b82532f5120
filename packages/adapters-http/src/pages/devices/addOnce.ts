import { type Added, addDevice, type Device, listDevices } from "@place-access/domain/devices"
import { answerOnce, Idempotency } from "@place-access/domain/idempotency"
import { DeviceId, Vault } from "@place-access/domain/shared"
import { Effect, Option, Schedule, Schema } from "effect"
import * as Errors from "../../wire/Errors.js"
import type * as Form from "../kit/Form.js"
import * as Visitor from "../kit/Visitor.js"

/**
 * The answer to a form that added a device, as it is stored for a repeated form. Only the device's id is stored: the
 * device itself is read again, because it may have changed.
 */
const Shown = Schema.parseJson(
  Schema.Struct({ id: DeviceId, token: Schema.String, setupKey: Schema.NullOr(Schema.String) })
)

/** While the first of two requests is running, the second one waits for its result. */
const WAIT = {
  while: ({ _tag }: { readonly _tag: string }) => _tag === "KeyInUse",
  schedule: Schedule.spaced(200),
  times: 10
}

/**
 * Adds the device of a form, once: a person who presses the button twice sends the form twice, and the browser drops
 * the first answer. The second answer has the token of the first one (decision devices-1), which is stored as for a
 * request with an `Idempotency-Key`. None when the device of the form was removed meanwhile.
 */
export const addOnce = ({ account }: Visitor.Visitor, form: Form.Form, draft: Pick<Device.Device, "name" | "format">) =>
  Effect.gen(function* () {
    const sent = Visitor.sentForm(form)
    if (sent === undefined) return Option.some(yield* addDevice(account.id, draft))
    // A person who goes back in the browser can send the same form with other texts, to add another device. So the
    // typed texts are a part of the key.
    const content = JSON.stringify([sent, draft.name, draft.format])
    const key = Idempotency.IdempotencyKey.make(`form-${(yield* Vault.Vault).sha256(content)}`)
    const request = { userId: account.id, subject: Idempotency.account(account.id), key, content }
    const answered = yield* answerOnce(request, Effect.map(addDevice(account.id, draft), worked)).pipe(
      Effect.retry(WAIT),
      Effect.catchTags({ KeyInUse: () => Effect.fail(Errors.unavailable), KeyReused: Effect.die })
    )
    if (answered._tag === "Worked") return Option.some(answered.value)
    const { id, setupKey, token } = yield* Effect.orDie(Schema.decode(Shown)(answered.answer.body))
    const device = (yield* listDevices(account.id)).find((one) => one.id === id)
    return device === undefined ? Option.none<Added>() : Option.some<Added>({ device, token, setupKey })
  })

const worked = (added: Added) => ({
  answer: {
    status: 200,
    contentType: null,
    body: Schema.encodeSync(Shown)({ id: added.device.id, token: added.token, setupKey: added.setupKey }),
    disclosed: null
  },
  value: added
})
