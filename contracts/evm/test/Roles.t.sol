// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IAccessControlEnumerable} from "@openzeppelin/contracts/access/extensions/IAccessControlEnumerable.sol";
import {Authorization, BatchGroup, Permit, Split, TokenConfig} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract RolesTest is Fixture {
    /// @dev Every call of a role, tried by everybody who lacks it.
    function test_eachRoleOpensItsOwnDoorsOnly() public {
        address[6] memory everybody = [admin, operator, registrar, guardian, recovery, stranger];
        for (uint256 i; i < everybody.length; ++i) {
            vm.startPrank(everybody[i]);
            if (everybody[i] != operator) _tryOperator();
            if (everybody[i] != registrar) _tryRegistrar();
            if (everybody[i] != guardian) _tryGuardian();
            if (everybody[i] != recovery) _tryRecovery();
            if (everybody[i] != admin) _tryAdmin();
            vm.stopPrank();
        }
    }

    function _refused() private {
        vm.expectPartialRevert(IAccessControl.AccessControlUnauthorizedAccount.selector);
    }

    function _tryOperator() private {
        Authorization memory a;
        Permit memory permit;
        _refused();
        processor.payWithSignature(address(token), 1, PLAIN, a, "");
        _refused();
        processor.payWithSignature(address(token), 1, PLAIN, a, 27, 0, 0);
        _refused();
        processor.payWithSignatureUpto(address(token), 1, PLAIN, a, 1, "");
        _refused();
        processor.payWithSignatureUpto(address(token), 1, PLAIN, a, 1, 27, 0, 0);
        _refused();
        processor.payWithPermit(address(token), 1, PLAIN, permit, 1);
        _refused();
        processor.settleBatch(address(token), new BatchGroup[](0));
    }

    function _tryRegistrar() private {
        _refused();
        processor.registerPayout(50, merchant, 0, new Split[](0));
        _refused();
        processor.retirePayout(PLAIN);
    }

    function _tryGuardian() private {
        _refused();
        processor.pause();
    }

    function _tryRecovery() private {
        Authorization memory a;
        _refused();
        processor.settleStranded(address(token), 1, PLAIN, a, 1, "");
        _refused();
        processor.returnStranded(address(token), a, "");
        _refused();
        processor.returnSurplus(address(token), stranger, 1, "");
    }

    function _tryAdmin() private {
        bytes32 role = processor.OPERATOR_ROLE();
        _refused();
        processor.configureToken(address(token), TokenConfig(true, 200_000, 1, 1));
        _refused();
        processor.changeFeeRecipient(stranger);
        _refused();
        processor.unpause();
        _refused();
        processor.grantRole(role, stranger);
        _refused();
        processor.revokeRole(role, operator);
    }

    function test_whoHoldsARoleCanBeListed() public view {
        address[] memory operators = processor.getRoleMembers(processor.OPERATOR_ROLE());
        assertEq(operators.length, 1);
        assertEq(operators[0], operator);
        assertTrue(processor.supportsInterface(type(IAccessControlEnumerable).interfaceId));
    }

    function test_theVersionIsTold() public view {
        assertEq(processor.version(), "1.3.0");
    }
}
