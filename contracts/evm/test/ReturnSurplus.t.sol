// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TokenConfig} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract ReturnSurplusTest is Fixture {
    bytes32 internal constant ID = keccak256("transaction and log index");

    function setUp() public override {
        super.setUp();
        vm.prank(payer);
        token.transfer(address(processor), 10_000);
    }

    function test_aBareTransferGoesBack() public {
        assertEq(processor.surplus(address(token)), 10_000);
        vm.expectEmit(address(processor));
        emit SurplusReturned(payer, address(token), ID, 10_000);
        vm.prank(recovery);
        processor.returnSurplus(address(token), payer, 10_000, ID);
        assertEq(token.balanceOf(payer), FUNDS);
    }

    function test_oneTransferGoesBackOnce() public {
        vm.startPrank(recovery);
        processor.returnSurplus(address(token), payer, 5_000, ID);
        vm.expectPartialRevert(AlreadyRecovered.selector);
        processor.returnSurplus(address(token), payer, 5_000, ID);
        vm.stopPrank();
    }

    function test_itNeverTouchesEscrow() public {
        token.setBlacklisted(merchant, true);
        _settle(_one(_group(PLAIN, 1, 100, 20_000, 20_000)));
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(SurplusTooSmall.selector, 10_000, 10_001));
        processor.returnSurplus(address(token), payer, 10_001, ID);
    }

    function test_nothingNobodyAndUnknownTokensAreRefused() public {
        vm.startPrank(recovery);
        vm.expectRevert(abi.encodeWithSelector(SurplusTooSmall.selector, 10_000, 0));
        processor.returnSurplus(address(token), payer, 0, ID);
        vm.expectRevert(abi.encodeWithSelector(InvalidRecipient.selector, address(0)));
        processor.returnSurplus(address(token), address(0), 1, ID);
        vm.expectRevert(abi.encodeWithSelector(InvalidRecipient.selector, address(processor)));
        processor.returnSurplus(address(token), address(processor), 1, ID);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, stranger));
        processor.returnSurplus(stranger, payer, 1, ID);
        vm.stopPrank();
    }

    function test_itWorksForATokenThatWasSwitchedOff() public {
        vm.prank(admin);
        processor.configureToken(address(token), TokenConfig(false, 200_000, CAP, CAP));
        vm.prank(recovery);
        processor.returnSurplus(address(token), payer, 10_000, ID);
        assertEq(token.balanceOf(payer), FUNDS);
    }
}
