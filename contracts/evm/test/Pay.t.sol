// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Fixture} from "./Fixture.sol";

contract PayTest is Fixture {
    function _pay(uint64 code, uint64 payoutId, uint256 amount) internal {
        vm.startPrank(payer);
        token.approve(address(processor), amount);
        processor.pay(address(token), code, payoutId, amount);
        vm.stopPrank();
    }

    function test_thePayerPaysFromAnAllowance() public {
        vm.startPrank(payer);
        token.approve(address(processor), 10_000);
        vm.expectEmit(address(processor));
        emit PaymentReceived(7, payer, address(token), SPLIT, 10_000, 250);
        processor.pay(address(token), 7, SPLIT, 10_000);
        vm.stopPrank();
        assertEq(token.balanceOf(merchant), 10_000 - 250 - 1_000 - 333);
        assertEq(token.balanceOf(feeTo), 250);
        assertEq(_processorBalance(), 0);
    }

    function test_itLeavesTheRecordOfIntentsAlone() public {
        _pay(7, PLAIN, 100);
        _pay(7, PLAIN, 100);
        assertFalse(processor.isSettled(7));
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), 200);
    }

    function test_itWorksOnASettledIntentToo() public {
        _settle(_one(_group(PLAIN, 1, 7, 100, 100)));
        _pay(7, PLAIN, 100);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), 200);
    }

    function test_withoutAnAllowanceNothingMoves() public {
        vm.prank(payer);
        vm.expectPartialRevert(PullFailed.selector);
        processor.pay(address(token), 7, PLAIN, 100);
    }

    function test_itSpendsOnlyTheCallersAllowance() public {
        vm.prank(payer);
        token.approve(address(processor), type(uint256).max);
        vm.prank(stranger);
        vm.expectPartialRevert(PullFailed.selector);
        processor.pay(address(token), 7, PLAIN, 100);
    }

    function test_zeroUnknownPayoutAndUnknownTokenAreRefused() public {
        vm.startPrank(payer);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 0, 0));
        processor.pay(address(token), 7, PLAIN, 0);
        vm.expectRevert(abi.encodeWithSelector(PayoutInactive.selector, 99));
        processor.pay(address(token), 7, 99, 100);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, stranger));
        processor.pay(stranger, 7, PLAIN, 100);
        vm.stopPrank();
    }

    function test_aBlockedMerchantsPartIsKept() public {
        token.setBlacklisted(merchant, true);
        _pay(7, PLAIN, 10_000);
        assertEq(processor.owed(address(token), merchant), 9_950);
        assertEq(_processorBalance(), 9_950);
    }

    function test_aLegThatCouldRunShortOfGasIsNotTried() public {
        vm.startPrank(payer);
        token.approve(address(processor), 200);
        vm.expectPartialRevert(NotEnoughGas.selector);
        processor.pay{gas: 200_000}(address(token), 7, PLAIN, 100);
        processor.pay{gas: 400_000}(address(token), 7, PLAIN, 100);
        vm.stopPrank();
        assertEq(processor.totalOwed(address(token)), 0);
    }

    function testFuzz_everyUnitIsAccountedFor(uint256 amount) public {
        amount = bound(amount, 1, FUNDS);
        _pay(7, SPLIT, amount);
        uint256 parts = token.balanceOf(merchant) + token.balanceOf(partner) + token.balanceOf(affiliate);
        assertEq(parts + token.balanceOf(feeTo), amount);
        assertEq(_processorBalance(), 0);
    }
}
