import { archivePlaceContract, stayStoreContract, visitStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"
import { VisitStores } from "../support/visitStores.js"

runContractPg(
  "SqlStayStore, SqlVisitStore, SqlConnectionStore.archivePlace",
  [...stayStoreContract, ...visitStoreContract, ...archivePlaceContract],
  VisitStores
)
