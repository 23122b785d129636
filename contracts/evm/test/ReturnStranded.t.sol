// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract ReturnStrandedTest is Fixture {
    Authorization internal stranded;
    bytes internal signature;

    function setUp() public override {
        super.setUp();
        stranded = _authorization(payer, 10_000);
        signature = _signature(PAYER_KEY, stranded);
        vm.prank(stranger);
        _submitDirectly(stranded, signature, address(processor));
    }

    function test_theWholeAmountGoesBackToThePayer() public {
        vm.expectEmit(address(processor));
        emit StrandedReturned(payer, address(token), stranded.nonce, 10_000);
        vm.prank(recovery);
        processor.returnStranded(address(token), stranded, signature);
        assertEq(token.balanceOf(payer), FUNDS);
        assertEq(_processorBalance(), 0);
        assertEq(processor.spentRecently(recovery, address(token)), 10_000);
    }

    function test_itMarksNoIntent() public {
        vm.prank(recovery);
        processor.returnStranded(address(token), stranded, signature);
        assertFalse(processor.isSettled(5));
    }

    function test_itHappensOnce() public {
        token.mint(address(processor), 50_000);
        vm.startPrank(recovery);
        processor.returnStranded(address(token), stranded, signature);
        vm.expectPartialRevert(AlreadyRecovered.selector);
        processor.returnStranded(address(token), stranded, signature);
        vm.expectPartialRevert(AlreadyRecovered.selector);
        processor.settleStranded(address(token), 5, PLAIN, stranded, 10_000, signature);
        vm.stopPrank();
    }

    function test_aBlockedPayersMoneyIsKeptForThem() public {
        token.setBlacklisted(payer, true);
        vm.prank(recovery);
        processor.returnStranded(address(token), stranded, signature);
        assertEq(processor.owed(address(token), payer), 10_000);
        assertEq(processor.surplus(address(token)), 0);
    }

    function test_anUnusedAuthorizationIsRefused() public {
        Authorization memory a = _authorization(payer, 500);
        bytes memory signed = _signature(PAYER_KEY, a);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(AuthorizationNotUsed.selector, payer, a.nonce));
        processor.returnStranded(address(token), a, signed);
    }

    function test_theSignatureOfAnotherIsRefused() public {
        bytes memory forged = _signature(PAYER_KEY + 1, stranded);
        vm.prank(recovery);
        vm.expectRevert(InvalidSignature.selector);
        processor.returnStranded(address(token), stranded, forged);
    }
}
