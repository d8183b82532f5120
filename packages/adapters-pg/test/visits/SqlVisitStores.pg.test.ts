import { stayStoreContract, visitStoreContract } from "@place-access/domain/testing"
import { runContractPg } from "../support/contracts.js"
import { VisitStores } from "../support/visitStores.js"

runContractPg("SqlStayStore and SqlVisitStore", [...stayStoreContract, ...visitStoreContract], VisitStores)
