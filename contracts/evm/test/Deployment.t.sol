// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccessControlEnumerable} from "@openzeppelin/contracts/access/extensions/IAccessControlEnumerable.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {Test} from "forge-std/Test.sol";
import {AdminTimelock} from "../src/AdminTimelock.sol";
import {PaymentProcessor} from "../src/PaymentProcessor.sol";
import {IPaymentEvents} from "../src/interfaces/IPaymentEvents.sol";

contract DeploymentTest is Test {
    address private council = makeAddr("council");
    address private operator = makeAddr("operator");
    address private feeTo = makeAddr("feeTo");

    function test_aProcessorIsBornWithAdminAndFeeRecipient() public {
        PaymentProcessor processor = new PaymentProcessor(council, feeTo);
        assertTrue(processor.hasRole(processor.DEFAULT_ADMIN_ROLE(), council));
        assertEq(processor.getRoleMemberCount(processor.DEFAULT_ADMIN_ROLE()), 1);
        assertEq(processor.getRoleMemberCount(processor.OPERATOR_ROLE()), 0);
        assertEq(processor.feeRecipient(), feeTo);
    }

    function test_neitherMayBeNobody() public {
        vm.expectRevert(IPaymentEvents.ZeroAddress.selector);
        new PaymentProcessor(address(0), feeTo);
        vm.expectRevert(abi.encodeWithSelector(IPaymentEvents.InvalidRecipient.selector, address(0)));
        new PaymentProcessor(council, address(0));
    }

    function test_aTimelockListsItsMembersAndAdministersItself() public {
        address[] memory members = new address[](1);
        members[0] = council;
        AdminTimelock timelock = new AdminTimelock(0, members, members);
        bytes32 proposer = timelock.PROPOSER_ROLE();
        assertEq(timelock.getRoleMembers(proposer), members);
        assertEq(timelock.getRoleMembers(timelock.DEFAULT_ADMIN_ROLE())[0], address(timelock));
        assertEq(timelock.getRoleMemberCount(timelock.DEFAULT_ADMIN_ROLE()), 1);
        assertTrue(timelock.supportsInterface(type(IAccessControlEnumerable).interfaceId));
        assertTrue(timelock.supportsInterface(type(IERC1155Receiver).interfaceId));
        vm.prank(address(timelock));
        timelock.revokeRole(proposer, council);
        assertEq(timelock.getRoleMemberCount(proposer), 0);
    }

    function test_behindATimelockTheAdminWaits() public {
        address[] memory members = new address[](1);
        members[0] = council;
        AdminTimelock timelock = new AdminTimelock(2 days, members, members);
        PaymentProcessor processor = new PaymentProcessor(address(timelock), feeTo);
        bytes memory call = abi.encodeCall(processor.grantRole, (processor.OPERATOR_ROLE(), operator));
        vm.startPrank(council);
        timelock.schedule(address(processor), 0, call, 0, 0, 2 days);
        vm.expectRevert();
        timelock.execute(address(processor), 0, call, 0, 0);
        vm.warp(block.timestamp + 2 days);
        timelock.execute(address(processor), 0, call, 0, 0);
        vm.stopPrank();
        assertTrue(processor.hasRole(processor.OPERATOR_ROLE(), operator));
    }
}
