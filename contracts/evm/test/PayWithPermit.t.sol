// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Permit} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract PayWithPermitTest is Fixture {
    uint256 private _deadline;

    function setUp() public override {
        super.setUp();
        _deadline = block.timestamp + 300;
    }

    function _pay(uint64 code, Permit memory permit, uint256 settled) internal {
        vm.prank(operator);
        processor.payWithPermit(address(token), code, PLAIN, permit, settled);
    }

    function test_aPermitPaysAndLeavesNoAllowance() public {
        Permit memory permit = _permit(PAYER_KEY, 10_000, _deadline);
        vm.expectEmit(address(processor));
        emit PaymentSettled(7, payer, address(token), PLAIN, 10_000, 4_000, 20);
        _pay(7, permit, 4_000);
        assertEq(token.balanceOf(merchant), 3_980);
        assertEq(token.balanceOf(payer), FUNDS - 4_000);
        assertEq(token.allowance(payer, address(processor)), 0);
        assertEq(_processorBalance(), 0);
        assertTrue(processor.isSettled(7));
    }

    function test_aPermitThatSomebodySubmittedBeforeStillPays() public {
        Permit memory p = _permit(PAYER_KEY, 10_000, _deadline);
        vm.prank(stranger);
        token.permit(p.owner, address(processor), p.value, p.deadline, p.v, p.r, p.s);
        _pay(7, p, 10_000);
        assertEq(token.balanceOf(merchant), 9_950);
    }

    function test_aPermitPaysOnceEvenIfTheAllowanceIsThereAgain() public {
        Permit memory permit = _permit(PAYER_KEY, 10_000, _deadline);
        _pay(7, permit, 10_000);
        vm.prank(payer);
        token.approve(address(processor), 10_000);
        vm.prank(operator);
        vm.expectPartialRevert(PermitUsed.selector);
        processor.payWithPermit(address(token), 8, PLAIN, permit, 10_000);
    }

    function test_aStandingAllowanceIsNotSpentWithoutASignature() public {
        vm.prank(payer);
        token.approve(address(processor), 600);
        Permit memory permit = _permit(PAYER_KEY, 500, _deadline);
        permit.value = 600;
        vm.prank(operator);
        vm.expectRevert(InvalidSignature.selector);
        processor.payWithPermit(address(token), 7, PLAIN, permit, 300);
    }

    function test_aPermitRevokedByItsOwnerDoesNotOpenAStandingAllowance() public {
        vm.prank(payer);
        token.approve(address(processor), type(uint256).max);
        Permit memory permit = _permit(PAYER_KEY, 500, _deadline);
        Permit memory other = _permitFor(PAYER_KEY, stranger, 0, token.nonces(payer), _deadline);
        token.permit(payer, stranger, 0, _deadline, other.v, other.r, other.s);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(PermitNotInForce.selector, type(uint256).max, 500));
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
    }

    function test_aRandomNonceNeverExecutes() public {
        Permit memory permit = _permitWithNonce(PAYER_KEY, 500, uint256(keccak256("random")), _deadline);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(PermitNotInForce.selector, 0, 500));
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
    }

    function test_thePermitOfAnotherSignerIsRefused() public {
        Permit memory permit = _permit(PAYER_KEY + 1, 500, _deadline);
        permit.owner = payer;
        vm.prank(operator);
        vm.expectRevert(InvalidSignature.selector);
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
    }

    function test_aMalleatedPermitIsRefused() public {
        Permit memory permit = _permit(PAYER_KEY, 500, _deadline);
        permit.s = bytes32(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141 - uint256(permit.s));
        permit.v = permit.v == 27 ? 28 : 27;
        vm.prank(operator);
        vm.expectRevert(InvalidSignature.selector);
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
    }

    function test_anUnreadableSignatureOfNobodyIsRefused() public {
        Permit memory permit = _permit(PAYER_KEY, 500, _deadline);
        permit.owner = address(0);
        permit.v = 0;
        vm.prank(operator);
        vm.expectRevert(InvalidSignature.selector);
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
    }

    function test_anExpiredPermitIsRefusedAndTheLastSecondCounts() public {
        Permit memory permit = _permit(PAYER_KEY, 500, block.timestamp - 1);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(PermitExpired.selector, block.timestamp - 1, block.timestamp));
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
        _pay(7, _permit(PAYER_KEY, 500, block.timestamp), 500);
    }

    function test_anExpiredPermitDoesNotSpendWhatItAllowedInTime() public {
        Permit memory p = _permit(PAYER_KEY, 500, _deadline);
        token.permit(p.owner, address(processor), p.value, p.deadline, p.v, p.r, p.s);
        vm.warp(_deadline + 1);
        vm.prank(operator);
        vm.expectPartialRevert(PermitExpired.selector);
        processor.payWithPermit(address(token), 7, PLAIN, p, 500);
    }

    function test_amountsIntentPayoutAndTokenAreChecked() public {
        Permit memory permit = _permit(PAYER_KEY, 500, _deadline);
        vm.startPrank(operator);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 501, 500));
        processor.payWithPermit(address(token), 7, PLAIN, permit, 501);
        vm.expectRevert(abi.encodeWithSelector(PayoutInactive.selector, 99));
        processor.payWithPermit(address(token), 7, 99, permit, 500);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, stranger));
        processor.payWithPermit(stranger, 7, PLAIN, permit, 500);
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
        vm.stopPrank();
        permit = _permit(PAYER_KEY, 500, _deadline);
        vm.prank(operator);
        vm.expectRevert(abi.encodeWithSelector(IntentAlreadySettled.selector, 7));
        processor.payWithPermit(address(token), 7, PLAIN, permit, 500);
    }

    function testFuzz_everyUnitIsAccountedFor(uint256 cap, uint256 settled) public {
        cap = bound(cap, 1, FUNDS);
        settled = bound(settled, 1, cap);
        _pay(7, _permit(PAYER_KEY, cap, _deadline), settled);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), settled);
        assertEq(token.balanceOf(payer), FUNDS - settled);
        assertEq(_processorBalance(), 0);
    }
}
