import type { Account } from "@place-access/domain/accounts"
import { getDelivery } from "@place-access/domain/deliveries"
import type { AppId, DeliveryId } from "@place-access/domain/shared"
import { Effect } from "effect"
import * as RateOfAccount from "../security/RateOfAccount.js"

/**
 * Counts a redelivery as one more test when the delivery is a test. A test goes to a host that nobody has proved to
 * own: if its redeliveries did not count, one test could be sent to a stranger's host again and again.
 */
export const countTest = (account: Account.Account, appId: AppId, id: DeliveryId) =>
  Effect.flatMap(getDelivery(account, appId, id), ({ delivery }) =>
    delivery.isTest ? RateOfAccount.takeFurther(RateOfAccount.TEST, account.id) : Effect.void
  )
