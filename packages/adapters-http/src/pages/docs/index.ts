import type { Options } from "../../HttpOptions.js"
import * as Authorization from "./authorization.js"
import * as Contract from "./contract.js"
import * as Errors from "./errors.js"
import * as Overview from "./overview.js"
import * as QuickStart from "./quickStart.js"
import * as Reference from "./reference.js"
import * as Webhooks from "./webhooks.js"

/** The documentation: out of the contract, the domain's constants and the code that makes events and errors. */
export const routes = (options: Options) => {
  let made: Contract.Contract | undefined
  const contract = () => (made ??= Contract.make(options))
  return [
    ...Overview.routes(options),
    ...QuickStart.routes(options),
    ...Authorization.routes(options, contract),
    ...Webhooks.routes(options, contract),
    ...Errors.routes(options, contract),
    ...Reference.routes(options, contract, Contract.tagPaths())
  ]
}
