// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {HonestWallet} from "./mocks/Wallets.sol";

contract PayWithSignatureUptoTest is Fixture {
    function _pay(uint64 code, uint64 payoutId, Authorization memory a, uint256 settled) internal {
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        processor.payWithSignatureUpto(address(token), code, payoutId, a, settled, v, r, s);
    }

    function test_feeOnTheSettledAmountAndTheRestBackInOneTransaction() public {
        Authorization memory a = _authorization(payer, 10_000);
        vm.expectEmit(address(processor));
        emit PaymentSettled(7, payer, address(token), SPLIT, 10_000, 4_000, 100);
        _pay(7, SPLIT, a, 4_000);
        assertEq(token.balanceOf(feeTo), 100);
        assertEq(token.balanceOf(partner), 400);
        assertEq(token.balanceOf(affiliate), 133);
        assertEq(token.balanceOf(merchant), 4_000 - 100 - 400 - 133);
        assertEq(token.balanceOf(payer), FUNDS - 4_000);
        assertEq(_processorBalance(), 0);
    }

    function test_aSignatureInBytesPaysAlike() public {
        address wallet = address(new HonestWallet(payer));
        token.mint(wallet, 10_000);
        Authorization memory a = _authorization(wallet, 10_000);
        bytes memory signature = abi.encodePacked(_signature(PAYER_KEY, a), "tail");
        vm.prank(operator);
        processor.payWithSignatureUpto(address(token), 7, PLAIN, a, 4_000, signature);
        assertEq(token.balanceOf(wallet), 6_000);
        assertEq(token.balanceOf(merchant), 3_980);
    }

    function test_theWholeCapMayBeSettled() public {
        _pay(7, PLAIN, _authorization(payer, 10_000), 10_000);
        assertEq(token.balanceOf(payer), FUNDS - 10_000);
    }

    function test_moreThanTheCapIsRefused() public {
        Authorization memory a = _authorization(payer, 10_000);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 10_001, 10_000));
        processor.payWithSignatureUpto(address(token), 7, PLAIN, a, 10_001, v, r, s);
    }

    function test_nothingIsNotSettled() public {
        Authorization memory a = _authorization(payer, 10_000);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 0, 10_000));
        processor.payWithSignatureUpto(address(token), 7, PLAIN, a, 0, v, r, s);
    }

    function test_aRefundThatCannotBeDeliveredIsKeptForThePayer() public {
        // A wallet that its token blocks between pull and refund: blocked accounts cannot pay, so block by token mock.
        Authorization memory a = _authorization(payer, 10_000);
        vm.mockCallRevert(address(token), abi.encodeCall(token.transfer, (payer, 6_000)), "blocked");
        _pay(7, PLAIN, a, 4_000);
        assertEq(processor.owed(address(token), payer), 6_000);
        assertEq(_processorBalance(), 6_000);
    }

    function test_onlyTheSettledAmountCountsForTheHourlyCap() public {
        _pay(7, PLAIN, _authorization(payer, 10_000), 4_000);
        assertEq(processor.spentRecently(operator, address(token)), 4_000);
    }

    function testFuzz_capIsMerchantPartsFeeAndRefund(uint256 cap, uint256 settled, bool withSplits) public {
        cap = bound(cap, 1, FUNDS);
        settled = bound(settled, 1, cap);
        _pay(7, withSplits ? SPLIT : PLAIN, _authorization(payer, cap), settled);
        uint256 parts = token.balanceOf(merchant) + token.balanceOf(partner) + token.balanceOf(affiliate);
        uint256 fee = token.balanceOf(feeTo);
        assertEq(fee, settled * (withSplits ? 250 : 50) / 10_000);
        assertEq(parts + fee, settled);
        assertEq(FUNDS - token.balanceOf(payer), settled);
        assertEq(_processorBalance(), 0);
    }
}
