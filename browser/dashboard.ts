import { keepAddress } from './dashboard/address.ts'
import { offerCopies } from './dashboard/copy.ts'
import { localTimes } from './dashboard/times.ts'

offerCopies()
keepAddress()
localTimes()
