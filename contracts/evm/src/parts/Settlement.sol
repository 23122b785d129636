// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PayoutHead, Split} from "../PaymentTypes.sol";
import {Shares} from "../lib/Shares.sol";
import {TokenCall} from "../lib/TokenCall.sol";
import {Escrow} from "./Escrow.sol";
import {HourlyCap} from "./HourlyCap.sol";
import {IntentBitmap} from "./IntentBitmap.sol";
import {PayoutRegistry} from "./PayoutRegistry.sol";
import {TokenList} from "./TokenList.sol";

/// @dev What every settlement of one payment has in common: money in, exactly; money out, by the payout's terms.
abstract contract Settlement is PayoutRegistry, TokenList, HourlyCap, IntentBitmap, Escrow {
    struct Order {
        address token;
        uint64 intentCode;
        uint64 payoutId;
        address payer;
        uint256 cap;
        uint256 settled;
    }

    function _requireAmounts(uint256 settled, uint256 cap) internal pure {
        if (settled == 0 || settled > cap) revert AmountOutOfRange(settled, cap);
    }

    /// @dev Takes `value` from a token by `data`, or reverts. What arrived is measured, never believed.
    function _pull(address token, bytes memory data, uint256 value, uint256 balanceBefore) internal {
        (bool done, bytes memory reason) = TokenCall.tryCall(token, gasleft(), data);
        if (!done) revert PullFailed(reason);
        uint256 balanceNow = TokenCall.balance(token, address(this));
        uint256 arrived = balanceNow > balanceBefore ? balanceNow - balanceBefore : 0;
        if (arrived != value) revert WrongAmountArrived(value, arrived);
    }

    function _settleOrder(Legs memory legs, Order memory order, PayoutHead memory head) internal {
        uint256 fee = Shares.part(order.settled, head.feeBps);
        emit PaymentSettled(order.intentCode, order.payer, order.token, order.payoutId, order.cap, order.settled, fee);
        _payShares(legs, order.payoutId, head, order.settled, fee);
        _payLeg(legs, order.payer, order.cap - order.settled);
    }

    function _payShares(Legs memory legs, uint64 payoutId, PayoutHead memory head, uint256 settled, uint256 fee)
        internal
    {
        uint256 rest = settled - fee;
        Split[] memory splits = _loadSplits(payoutId, head.splitCount);
        for (uint256 i; i < splits.length; ++i) {
            uint256 share = Shares.part(settled, splits[i].bps);
            rest -= share;
            _payLeg(legs, splits[i].to, share);
        }
        _payLeg(legs, head.merchant, rest);
        _payLeg(legs, feeRecipient, fee);
    }
}
