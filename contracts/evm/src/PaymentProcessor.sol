// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {BatchPayments} from "./parts/BatchPayments.sol";
import {Recovery} from "./parts/Recovery.sol";
import {Roles} from "./parts/Roles.sol";
import {SinglePayments} from "./parts/SinglePayments.sol";

/// @title PaymentProcessor
/// @notice See {IPaymentProcessor} for what it promises. Immutable: a new version is a new address, which new
/// acceptances name; an upgrade key could take every open authorization.
contract PaymentProcessor is SinglePayments, BatchPayments, Recovery {
    constructor(address admin, address feeTo) Roles(admin, feeTo) {}

    function version() external pure returns (string memory) {
        return "1.3.0";
    }
}
