// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, BatchItem, ItemCode} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract RetirePayoutTest is Fixture {
    uint256 private constant DELAY = 8 days;

    function test_openAuthorizationsStillSettleUntilTheDelayHasPassed() public {
        Authorization memory a = _authorization(payer, 500);
        a.validBefore = block.timestamp + 7 days + 1 hours;
        BatchItem memory item = _item(PAYER_KEY, a, 1, 500);
        vm.expectEmit(address(processor));
        emit PayoutRetired(PLAIN, uint64(block.timestamp + DELAY));
        vm.prank(registrar);
        processor.retirePayout(PLAIN);
        vm.warp(a.validBefore - 1);
        assertEq(uint8(_settle(_one(PLAIN, item))[0]), uint8(ItemCode.Settled));
    }

    function test_afterTheDelayNothingReachesThePayout() public {
        vm.prank(registrar);
        processor.retirePayout(PLAIN);
        vm.warp(block.timestamp + DELAY - 1);
        assertEq(uint8(_settle(_one(_group(PLAIN, 1, 100, 500, 500)))[0]), uint8(ItemCode.Settled));
        vm.warp(block.timestamp + 1);
        assertEq(uint8(_settle(_one(_group(PLAIN, 1, 101, 500, 500)))[0]), uint8(ItemCode.PayoutInactive));
        vm.prank(payer);
        vm.expectRevert(abi.encodeWithSelector(PayoutInactive.selector, PLAIN));
        processor.pay(address(token), 7, PLAIN, 100);
    }

    function test_itIsFinalAndCannotBeHurried() public {
        vm.startPrank(registrar);
        processor.retirePayout(PLAIN);
        uint64 offAt = uint64(block.timestamp + DELAY);
        vm.warp(block.timestamp + 1);
        vm.expectRevert(abi.encodeWithSelector(PayoutAlreadyRetired.selector, PLAIN, offAt));
        processor.retirePayout(PLAIN);
        vm.stopPrank();
    }

    function test_anUnknownIdIsRefused() public {
        vm.prank(registrar);
        vm.expectRevert(abi.encodeWithSelector(PayoutUnknown.selector, 99));
        processor.retirePayout(99);
    }
}
