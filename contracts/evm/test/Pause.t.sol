// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Authorization, BatchGroup, Permit, Split} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract PauseTest is Fixture {
    function test_pausedEveryWayToMoveMoneyIsShutButEscrow() public {
        Authorization memory a = _authorization(payer, 100);
        bytes memory signature = _signature(PAYER_KEY, a);
        Permit memory permit = _permit(PAYER_KEY, 100, block.timestamp);
        vm.prank(guardian);
        processor.pause();
        vm.startPrank(operator);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.payWithSignature(address(token), 1, PLAIN, a, signature);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.payWithSignature(address(token), 1, PLAIN, a, 27, 0, 0);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.payWithSignatureUpto(address(token), 1, PLAIN, a, 1, signature);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.payWithSignatureUpto(address(token), 1, PLAIN, a, 1, 27, 0, 0);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.payWithPermit(address(token), 1, PLAIN, permit, 100);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.settleBatch(address(token), new BatchGroup[](0));
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.pay(address(token), 1, PLAIN, 100);
        vm.stopPrank();
        vm.startPrank(recovery);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.settleStranded(address(token), 1, PLAIN, a, 100, signature);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.returnStranded(address(token), a, signature);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        processor.returnSurplus(address(token), payer, 1, "");
        vm.stopPrank();
    }

    function test_theGuardianPausesAndOnlyTheAdminResumes() public {
        vm.prank(guardian);
        processor.pause();
        vm.prank(guardian);
        vm.expectPartialRevert(IAccessControl.AccessControlUnauthorizedAccount.selector);
        processor.unpause();
        vm.prank(admin);
        processor.unpause();
        _settle(_one(_group(PLAIN, 1, 100, 500, 500)));
        assertTrue(processor.isSettled(100));
    }

    function test_keysAndPayoutsCanBeChangedWhilePaused() public {
        vm.prank(guardian);
        processor.pause();
        bytes32 role = processor.OPERATOR_ROLE();
        vm.prank(admin);
        processor.revokeRole(role, operator);
        _register(50, merchant, 0, new Split[](0));
        assertFalse(processor.hasRole(role, operator));
    }
}
