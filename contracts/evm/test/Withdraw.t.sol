// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Fixture} from "./Fixture.sol";

contract WithdrawTest is Fixture {
    function setUp() public override {
        super.setUp();
        token.setBlacklisted(merchant, true);
        _settle(_one(_group(PLAIN, 2, 100, 10_000, 10_000)));
        token.mint(address(processor), 7);
    }

    function test_anyoneMayPayTheOwnerOut() public {
        token.setBlacklisted(merchant, false);
        vm.expectEmit(address(processor));
        emit EscrowWithdrawn(address(token), merchant, 19_900);
        vm.prank(stranger);
        processor.withdraw(address(token), merchant);
        assertEq(token.balanceOf(merchant), 19_900);
        assertEq(token.balanceOf(stranger), 0);
        assertEq(processor.owed(address(token), merchant), 0);
        assertEq(processor.totalOwed(address(token)), 0);
        assertEq(_processorBalance(), 7);
    }

    function test_whatIsKeptAddsUp() public {
        _settle(_one(_group(PLAIN, 1, 200, 10_000, 10_000)));
        assertEq(processor.owed(address(token), merchant), 29_850);
        assertEq(processor.totalOwed(address(token)), 29_850);
        token.setBlacklisted(merchant, false);
        processor.withdraw(address(token), merchant);
        assertEq(token.balanceOf(merchant), 29_850);
    }

    function test_itPaysOnce() public {
        token.setBlacklisted(merchant, false);
        processor.withdraw(address(token), merchant);
        vm.expectRevert(abi.encodeWithSelector(NothingOwed.selector, address(token), merchant));
        processor.withdraw(address(token), merchant);
    }

    function test_whileItCannotBeDeliveredItIsKept() public {
        vm.expectRevert(abi.encodeWithSelector(DeliveryFailed.selector, address(token), merchant));
        processor.withdraw(address(token), merchant);
        assertEq(processor.owed(address(token), merchant), 19_900);
    }

    function test_aTransferThatOnlyPretendsIsUndone() public {
        token.setBlacklisted(merchant, false);
        vm.mockCall(address(token), abi.encodeCall(token.transfer, (merchant, 19_900)), abi.encode(true));
        vm.expectRevert(abi.encodeWithSelector(BalanceMismatch.selector, 7, 19_907));
        processor.withdraw(address(token), merchant);
    }

    function test_itWorksWhilePaused() public {
        token.setBlacklisted(merchant, false);
        vm.prank(guardian);
        processor.pause();
        processor.withdraw(address(token), merchant);
        assertEq(token.balanceOf(merchant), 19_900);
    }
}
